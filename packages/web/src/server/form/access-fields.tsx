import { describe, Field, Input, Select } from '../../ui/form/field.tsx'
import { changers, type SectionProps } from './section-props.ts'

const accessTexts = {
  auto: 'Open to this machine while the hub is not public',
  local: 'Open to this machine, always',
  required: 'Only with a key or a sign-in',
}

/** Who has to show a key, and in which header. */
export function AccessFields({ form, mayChange }: SectionProps) {
  const { setServer } = changers(form)
  const { access, keyHeader } = form.draft.server
  const error = form.problem('server.keyHeader')
  const name = keyHeader.trim().toLowerCase()
  const sample = name === 'authorization' ? 'Authorization: Bearer <key>' : `${keyHeader.trim()}: <key>`
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-2">
      <Field id="server.access" label="Who may use it" hint="From other machines a key or a sign-in is always needed.">
        <Select
          {...describe('server.access')}
          value={access}
          disabled={!mayChange}
          onChange={(event) => setServer({ access: event.target.value as typeof access })}
        >
          {Object.entries(accessTexts).map(([id, text]) => (
            <option key={id} value={id}>
              {text}
            </option>
          ))}
        </Select>
      </Field>
      <Field
        id="server.keyHeader"
        label="Key header"
        error={error}
        hint={
          <>
            Clients send <span className="font-mono">{sample}</span>
          </>
        }
      >
        <Input
          {...describe('server.keyHeader', error)}
          mono
          value={keyHeader}
          disabled={!mayChange}
          onChange={(event) => setServer({ keyHeader: event.target.value })}
          onBlur={() => form.touch('server.keyHeader')}
        />
      </Field>
    </div>
  )
}

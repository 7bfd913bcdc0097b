import { useQuery } from '@tanstack/react-query'
import { secretsQuery } from '../../../api/queries.ts'
import { describe, Field, Select } from '../../../ui/form/field.tsx'
import { SecretInput } from '../../../ui/form/secret-input.tsx'
import { providerKinds } from '../../provider-kinds.ts'
import type { FormPart } from './form-part.ts'
import { TextField } from './text-field.tsx'

const another = '+'

export function useSecretNames(): readonly string[] {
  return useQuery(secretsQuery).data?.map(({ name }) => name) ?? []
}

/** The key of the provider: a stored secret by its name, whose value can be entered right here. */
export function KeyField({ form }: FormPart) {
  const { draft, change } = form
  const stored = useSecretNames()
  const { usualKey } = providerKinds[draft.provider]
  const name = draft.keySecret || usualKey
  const isNew = draft.keySecret !== '' && draft.keySecret !== usualKey && !stored.includes(draft.keySecret)
  const isStored = name !== undefined && stored.includes(name)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2">
      <Field
        id={isNew ? 'keySecret-choice' : 'keySecret'}
        label="Key"
        optional={usualKey === undefined}
        hint="Keys are stored encrypted, by name, and can serve several sessions."
        error={isNew ? undefined : form.problem('keySecret')}
      >
        <Select
          {...describe(isNew ? 'keySecret-choice' : 'keySecret', isNew ? undefined : form.problem('keySecret'))}
          value={isNew ? another : draft.keySecret === usualKey ? '' : draft.keySecret}
          onChange={({ target: { value } }) =>
            change({ keySecret: value === another ? suggestName(draft.name, stored) : value, key: undefined })
          }
        >
          <option value="">{usualKey === undefined ? 'None' : usualKey}</option>
          {stored
            .filter((each) => each !== usualKey)
            .map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          <option value={another}>Another, with a new name…</option>
        </Select>
      </Field>
      {isNew && (
        <TextField
          form={form}
          id="keySecret"
          mono
          label="Name of the new key"
          value={draft.keySecret}
          // An empty name would mean another key.
          onChange={(keySecret) => change({ keySecret: keySecret === '' ? 'KEY' : keySecret })}
        />
      )}
      {name !== undefined && (
        <Field
          id="key"
          label={`Value of ${name}`}
          hint={isStored ? 'It is never shown again.' : 'Stored encrypted when you save, and never shown again.'}
          className={isNew ? 'sm:col-start-2' : ''}
        >
          <SecretInput
            id="key"
            aria-describedby="key-hint"
            label={name}
            isStored={isStored}
            value={draft.key}
            onChange={(key) => change({ key })}
          />
        </Field>
      )}
    </div>
  )
}

/** A name that no secret has yet. */
function suggestName(session: string, stored: readonly string[]): string {
  const base = `${session.toUpperCase().replaceAll('-', '_') || 'SESSION'}_KEY`
  const safe = /^[A-Z]/.test(base) ? base : `KEY_${base}`
  for (let number = 2; ; number++) {
    const name = number === 2 ? safe : `${safe}_${number}`
    if (!stored.includes(name)) return name
  }
}

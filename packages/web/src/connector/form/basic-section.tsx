import { describe, Field, Input, Select, TextArea } from '../../ui/form/field.tsx'
import { FormSection } from '../../ui/form/form-section.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import type { ConnectorForm } from './use-connector-form.ts'

/** What the connector is called and whether it is used. */
export function BasicSection({ form }: { form: ConnectorForm }) {
  const { draft, change, problem, touch } = form
  return (
    <FormSection id="basic" title="Basic">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <Field
          id="name"
          label="Name"
          error={problem('name')}
          hint={`Its tools are called like ${draft.name.trim() || 'files'}__read_file.`}
        >
          <Input
            {...describe('name', problem('name'))}
            mono
            required
            value={draft.name}
            placeholder="files"
            onChange={(event) => change({ name: event.target.value })}
            onBlur={() => touch('name')}
          />
        </Field>
        <Field id="kind" label="Kind" hint={kinds[draft.kind]} error={problem('kind')}>
          <Select
            {...describe('kind')}
            value={draft.kind}
            onChange={(event) => change({ kind: event.target.value as 'client' | 'server' })}
          >
            <option value="client">client</option>
            <option value="server">server</option>
          </Select>
        </Field>
      </div>
      <Field id="description" label="Description" optional error={problem('description')}>
        <TextArea
          {...describe('description', problem('description'))}
          rows={2}
          value={draft.description}
          placeholder="What it is for, in a sentence."
          onChange={(event) => change({ description: event.target.value })}
          onBlur={() => touch('description')}
        />
      </Field>
      <Switch
        id="enabled"
        checked={draft.enabled}
        onChange={(enabled) => change({ enabled })}
        label="Enabled"
        hint="When off, its tools are gone for everybody, and its program is stopped."
      />
    </FormSection>
  )
}

const kinds = {
  client: 'A server that somebody else wrote.',
  server: 'A server of your own.',
}

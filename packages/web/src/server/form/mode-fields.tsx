import type { Mode } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { viewsQuery } from '../../api/queries.ts'
import { describe, Field, Select } from '../../ui/form/field.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import { changers, type SectionProps } from './section-props.ts'

const modes: Record<Mode, string> = {
  full: 'Every tool is listed',
  search: 'Search: three tools that find, describe and call the others',
  code: 'Code: one tool that runs scripts which call the others',
}
const schemas = {
  auto: 'Simple ones for clients that need them',
  original: 'As the servers give them',
  strict: 'Simple ones for everybody',
}
const fallbacks = { auto: 'For ChatGPT', on: 'For every client', off: 'Never' }

interface ModeFieldsProps extends SectionProps {
  /** What it serves: the catalog, one connector alone, or tools of its own. */
  readonly serves: 'catalog' | 'connector' | 'own'
}

/** How tools are shown to clients. */
export function ModeFields({ form, mayChange, serves }: ModeFieldsProps) {
  const { setServer } = changers(form)
  const { mode, view, metadata, schemas: shape, fallbacks: offered } = form.draft.server
  const choice = <Value extends string>(
    name: 'mode' | 'schemas' | 'fallbacks',
    value: Value,
    texts: Record<Value, string>,
  ) => (
    <Select
      {...describe(`server.${name}`)}
      value={value}
      disabled={!mayChange}
      onChange={(event) => setServer({ [name]: event.target.value })}
    >
      {Object.entries(texts).map(([id, text]) => (
        <option key={id} value={id}>
          {String(text)}
        </option>
      ))}
    </Select>
  )
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-2">
      {serves === 'catalog' && (
        <Field id="server.mode" label="Mode" hint="Search and code save tokens where there are many tools.">
          {choice('mode', mode, modes)}
        </Field>
      )}
      {serves !== 'own' && <ViewField form={form} mayChange={mayChange} value={view} />}
      <Field id="server.schemas" label="Schemas" hint="Some clients drop tools whose schemas they cannot read.">
        {choice('schemas', shape, schemas)}
      </Field>
      {serves === 'catalog' && (
        <Field
          id="server.fallbacks"
          label="Search and fetch over all resources"
          hint="Two tools that some clients require."
        >
          {choice('fallbacks', offered, fallbacks)}
        </Field>
      )}
      {serves !== 'own' && (
        <Switch
          label="Say where each tool comes from"
          hint="In the metadata of its definition."
          checked={metadata}
          disabled={!mayChange}
          onChange={(next) => setServer({ metadata: next })}
        />
      )}
    </div>
  )
}

function ViewField({ form, mayChange, value }: SectionProps & { value: string | null }) {
  const { setServer } = changers(form)
  const { data: views } = useQuery(viewsQuery)
  const isListed = value === null || views?.some(({ name }) => name === value) === true
  return (
    <Field id="server.view" label="View" hint="Which tools clients get. Views are made in fragments of the catalog.">
      <Select
        {...describe('server.view')}
        value={value ?? ''}
        disabled={!mayChange}
        onChange={(event) => setServer({ view: event.target.value === '' ? null : event.target.value })}
      >
        <option value="">The one that is for the client, else all tools</option>
        {!isListed && (
          <option value={value}>
            {value}
            {views !== undefined && ' (missing: clients see nothing)'}
          </option>
        )}
        {views?.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </Select>
    </Field>
  )
}

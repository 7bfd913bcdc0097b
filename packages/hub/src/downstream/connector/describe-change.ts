import { isDeepStrictEqual } from 'node:util'
import type { Connector, ConnectorView, NamedValue } from '@herma/contract'
import type { ConnectorEntry } from './connectors.ts'
import { toView } from './connector-view.ts'
import type { StoredConnector } from './store.ts'

/** What a person may configure; the rest of a view follows from it, or from the server. */
const configured = [
  'name',
  'description',
  'kind',
  'enabled',
  'transport',
  'baseUrl',
  'endpointPath',
  'headers',
  'cmd',
  'args',
  'env',
  'workingDir',
  'isolation',
  'oauth',
  'notes',
] as const

/** The fields that differ as they are shown, and by name the secret values that do: those are shown to nobody. */
export function describeChange(entry: ConnectorEntry, stored: StoredConnector): Record<string, unknown> {
  const [before, after] = [entry, { ...entry, stored }].map((each) => flatten(toView(each))) as [Fields, Fields]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = names.filter((name) => !isDeepStrictEqual(before[name], after[name]))
  const pick = (fields: Fields) => Object.fromEntries(changed.map((name) => [name, fields[name] ?? null]))
  const replaced = replacedValues(entry.stored.connector, stored.connector)
  return { before: pick(before), after: pick(after), ...(replaced.length > 0 && { replaced }) }
}

type Fields = Readonly<Record<string, unknown>>

/** Each option by itself, since there are many and few of them change. */
function flatten(view: ConnectorView): Fields {
  const options = Object.entries(view.options).map(([name, value]) => [`options.${name}`, value])
  return Object.fromEntries([...configured.map((field) => [field, view[field]]), ...options])
}

function replacedValues(before: Connector, after: Connector): string[] {
  return (['headers', 'env'] as const).flatMap((place) => {
    const values = new Map(before[place].map(({ name, value }: NamedValue) => [name, value]))
    const isReplaced = ({ name, value }: NamedValue) => values.has(name) && values.get(name) !== value
    return after[place].filter(isReplaced).map(({ name }) => `${place}.${name}`)
  })
}

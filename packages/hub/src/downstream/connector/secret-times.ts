import type { Connector, NamedValue } from '@herma/contract'
import { isSecretName } from '../../secret/index.ts'

/** When each sealed value last changed, by its place: `headers.Authorization`. One stored before this was kept has none. */
export type SecretTimes = Readonly<Record<string, string>>

interface Timed {
  readonly connector: Connector
  readonly changedAt: SecretTimes
}

/** The times of a connector that is about to be stored: what is as it was keeps its own. */
export function stampSecrets(connector: Connector, before: Timed | null, now: Date): SecretTimes {
  const stamp = (field: 'headers' | 'env') =>
    connector[field].filter(isSealed).flatMap(({ name, value }): [string, string][] => {
      const same = before?.connector[field].find(
        (row) => row.name.toLowerCase() === name.toLowerCase() && row.value === value && isSealed(row),
      )
      const at = same === undefined ? now.toISOString() : before?.changedAt[placeOf(field, same.name)]
      return at === undefined ? [] : [[placeOf(field, name), at]]
    })
  return Object.fromEntries([...stamp('headers'), ...stamp('env')])
}

export function placeOf(field: 'headers' | 'env', name: string): string {
  return `${field}.${name}`
}

function isSealed({ name, value, secret }: NamedValue): boolean {
  return (secret ?? isSecretName(name)) && value !== undefined
}

import type { Renew } from '../../secret/index.ts'

/** The columns of a connector that hold sealed values, as they are stored. */
export interface SealedColumns {
  readonly id: string
  readonly headers: unknown
  readonly env: unknown
  readonly oauth: unknown
}

/** The columns with their values sealed anew; null when all of them can stay. What is not as expected stays too. */
export function resealRow({ id, headers, env, oauth }: SealedColumns, renew: Renew): Omit<SealedColumns, 'id'> | null {
  let isChanged = false
  const renewOne = (sealed: string, context: string) => {
    const renewed = renew(sealed, context)
    isChanged ||= renewed !== null
    return renewed ?? sealed
  }
  const renewList = (field: 'headers' | 'env', list: unknown) =>
    !Array.isArray(list)
      ? list
      : list.map((entry: unknown) =>
          isSealed(entry)
            ? { ...entry, sealed: renewOne(entry.sealed, `connector:${id}:${field}:${entry.name}`) }
            : entry,
        )
  const changes = {
    headers: renewList('headers', headers),
    env: renewList('env', env),
    oauth: hasSealed(oauth)
      ? {
          ...oauth,
          sealed: Object.fromEntries(
            Object.entries(oauth.sealed).map(([name, value]) => [
              name,
              typeof value === 'string' ? renewOne(value, `connector:${id}:oauth:${name}`) : value,
            ]),
          ),
        }
      : oauth,
  }
  return isChanged ? changes : null
}

function isSealed(entry: unknown): entry is { name: string; sealed: string } {
  const { name, sealed } = (entry ?? {}) as Record<string, unknown>
  return typeof name === 'string' && typeof sealed === 'string'
}

function hasSealed(oauth: unknown): oauth is { sealed: Record<string, unknown> } {
  const { sealed } = (oauth ?? {}) as Record<string, unknown>
  return typeof sealed === 'object' && sealed !== null
}

import type { ServerView } from '@herma/contract'

const kinds = ['facade', 'custom', 'team', 'session', 'management'] as const satisfies readonly ServerView['kind'][]

/** What the address of the list of servers says. */
export interface ServerSearch {
  readonly filter?: string
  readonly kind?: ServerView['kind']
}

export function readServerSearch(search: Record<string, unknown>): ServerSearch {
  const kind = kinds.find((each) => each === search['kind'])
  return {
    ...(typeof search['filter'] === 'string' && search['filter'] !== '' && { filter: search['filter'] }),
    ...(kind !== undefined && { kind }),
  }
}

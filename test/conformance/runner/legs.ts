export type Era = 'legacy' | 'modern'

/** One column of the table: the revision that the suite speaks and the endpoint of our server that it needs. */
export type Leg = {
  name: string
  revision: string
  era: Era
  endpoint: 'url' | 'tasksUrl'
  /** Extensions are on no revision's list, so they are chosen by the beginning of their name. */
  extensionPrefix?: string
}

export const legs: readonly Leg[] = [
  { name: '2025-06-18', revision: '2025-06-18', era: 'legacy', endpoint: 'url' },
  { name: '2025-11-25', revision: '2025-11-25', era: 'legacy', endpoint: 'url' },
  { name: '2026-07-28', revision: '2026-07-28', era: 'modern', endpoint: 'url' },
  { name: 'tasks', revision: '2026-07-28', era: 'modern', endpoint: 'tasksUrl', extensionPrefix: 'tasks-' },
]

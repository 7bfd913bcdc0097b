import type { Notifier } from './connection.ts'

/** Something that clients may want to hear of, as its notification. */
export type Change =
  | {
      readonly method:
        | 'notifications/tools/list_changed'
        | 'notifications/prompts/list_changed'
        | 'notifications/resources/list_changed'
      readonly params?: undefined
    }
  | { readonly method: 'notifications/resources/updated'; readonly params: { readonly uri: string } }

/** A `Notifier` that turns each call into a `Change` for `spread`. */
export function notifier(spread: (change: Change) => void): Notifier {
  return {
    toolsChanged: () => spread({ method: 'notifications/tools/list_changed' }),
    promptsChanged: () => spread({ method: 'notifications/prompts/list_changed' }),
    resourcesChanged: () => spread({ method: 'notifications/resources/list_changed' }),
    resourceUpdated: (uri) => spread({ method: 'notifications/resources/updated', params: { uri } }),
  }
}

import type { BindingView } from '@herma/contract'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

/** Which connectors are attached to which sessions, with every value in effect. */
export const bindingsQuery = queryOptions({
  queryKey: ['bindings'],
  queryFn: async ({ signal }) => (await api.listBindings({}, { signal })).bindings,
})

/** What a change of a binding may concern. */
export const bindingTopics = ['bindings', 'sessions', 'connectors'] as const

export function countOverrides({ headers, env, options, cwd, allowedTools }: BindingView): number {
  const own = (cwd === null ? 0 : 1) + (allowedTools === null ? 0 : 1)
  return headers.length + env.length + Object.keys(options).length + own
}

import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

export const usersQuery = queryOptions({
  queryKey: ['access', 'users'],
  queryFn: async ({ signal }) => (await api.listUsers({}, { signal })).users,
})

export const grantsQuery = queryOptions({
  queryKey: ['access', 'grants'],
  queryFn: async ({ signal }) => (await api.listGrants({}, { signal })).grants,
})

export const rulesQuery = queryOptions({
  queryKey: ['access', 'rules'],
  queryFn: async ({ signal }) => (await api.listAccessRules({}, { signal })).rules,
})

export const providersQuery = queryOptions({
  queryKey: ['access', 'providers'],
  queryFn: async ({ signal }) => (await api.listIdentityProviders({}, { signal })).providers,
})

export const issuersQuery = queryOptions({
  queryKey: ['access', 'issuers'],
  queryFn: async ({ signal }) => (await api.listTrustedIssuers({}, { signal })).issuers,
})

export const secretKeysQuery = queryOptions({
  queryKey: ['secrets', 'keys'],
  queryFn: ({ signal }) => api.listSecretKeys({}, { signal }),
})

export const traceSettingsQuery = queryOptions({
  queryKey: ['settings', 'traces'],
  queryFn: ({ signal }) => api.getTraceSettings({}, { signal }),
})

/** Figures that move with every call, so they are asked for at a pace of their own. */
export const traceStatsQuery = queryOptions({
  queryKey: ['settings', 'trace-stats'],
  queryFn: ({ signal }) => api.getTraceStats({}, { signal }),
  refetchInterval: 5000,
})

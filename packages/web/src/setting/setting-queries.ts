import type {
  AccessRuleView,
  AccessSettings,
  ApiKeyView,
  CaptureView,
  GrantView,
  IdentityProviderView,
  SecretKeysView,
  SecretView,
  TraceSettings,
  TraceStats,
  TrustedIssuerView,
  UserView,
} from '@herma/contract'
import { queryOptions } from '@tanstack/react-query'
import { ask } from '../api/ask.ts'

export const usersQuery = queryOptions({
  queryKey: ['access', 'users'],
  queryFn: async ({ signal }) => (await ask<{ users: UserView[] }>('/api/access/users', { signal })).users,
})

export const grantsQuery = queryOptions({
  queryKey: ['access', 'grants'],
  queryFn: async ({ signal }) => (await ask<{ grants: GrantView[] }>('/api/access/grants', { signal })).grants,
})

export const keysQuery = queryOptions({
  queryKey: ['access', 'keys'],
  queryFn: async ({ signal }) => (await ask<{ keys: ApiKeyView[] }>('/api/access/keys', { signal })).keys,
})

export const rulesQuery = queryOptions({
  queryKey: ['access', 'rules'],
  queryFn: async ({ signal }) => (await ask<{ rules: AccessRuleView[] }>('/api/access/rules', { signal })).rules,
})

export const providersQuery = queryOptions({
  queryKey: ['access', 'providers'],
  queryFn: async ({ signal }) =>
    (await ask<{ providers: IdentityProviderView[] }>('/api/access/providers', { signal })).providers,
})

export const issuersQuery = queryOptions({
  queryKey: ['access', 'issuers'],
  queryFn: async ({ signal }) =>
    (await ask<{ issuers: TrustedIssuerView[] }>('/api/access/issuers', { signal })).issuers,
})

export const accessSettingsQuery = queryOptions({
  queryKey: ['access', 'settings'],
  queryFn: ({ signal }) => ask<AccessSettings>('/api/access/settings', { signal }),
})

export const secretsQuery = queryOptions({
  queryKey: ['secrets'],
  queryFn: async ({ signal }) => (await ask<{ secrets: SecretView[] }>('/api/secrets', { signal })).secrets,
})

export const secretKeysQuery = queryOptions({
  queryKey: ['secrets', 'keys'],
  queryFn: ({ signal }) => ask<SecretKeysView>('/api/secret-keys', { signal }),
})

export const traceSettingsQuery = queryOptions({
  queryKey: ['settings', 'traces'],
  queryFn: ({ signal }) => ask<TraceSettings>('/api/traces/settings', { signal }),
})

/** Figures that move with every call, so they are asked for at a pace of their own. */
export const traceStatsQuery = queryOptions({
  queryKey: ['settings', 'trace-stats'],
  queryFn: ({ signal }) => ask<TraceStats>('/api/traces/stats', { signal }),
  refetchInterval: 5000,
})

export const capturesQuery = queryOptions({
  queryKey: ['settings', 'captures'],
  queryFn: async ({ signal }) => (await ask<{ captures: CaptureView[] }>('/api/traces/capture', { signal })).captures,
})

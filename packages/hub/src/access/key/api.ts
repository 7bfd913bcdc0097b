import { keyOperations } from '@herma/contract/api'
import { type Route, serve } from '../../platform/http/index.ts'
import type { ApiKeys } from './api-keys.ts'

export function keyApi(keys: Pick<ApiKeys, 'list' | 'get' | 'add' | 'revoke'>): Route[] {
  return serve(keyOperations, {
    listKeys: () => ({ keys: keys.list() }),
    addKey: ({ body, principal }) => keys.add(body, principal),
    getKey: ({ params: { name } }) => keys.get(name),
    revokeKey: ({ params: { name }, principal }) => keys.revoke(name, principal),
  })
}

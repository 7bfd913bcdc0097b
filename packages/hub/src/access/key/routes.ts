import { ApiKeyInput, ApiKeyView, NewApiKey } from '@herma/contract'
import { z } from 'zod'
import { defineRoute, type Route } from '../../platform/http/index.ts'
import type { KeyBook } from './key-book.ts'

const params = z.object({ name: z.string() })

export function keyRoutes(keys: Pick<KeyBook, 'list' | 'get' | 'add' | 'revoke'>): Route[] {
  return [
    defineRoute({
      id: 'listKeys',
      method: 'GET',
      path: '/api/access/keys',
      summary: 'API keys, without the keys themselves.',
      responses: { 200: { description: 'The keys.', schema: z.object({ keys: z.array(ApiKeyView) }) } },
      handle: () => ({ status: 200, body: { keys: keys.list() } }),
    }),
    defineRoute({
      id: 'addKey',
      method: 'POST',
      path: '/api/access/keys',
      summary: 'Make an API key. This answer is the only one that holds it.',
      body: ApiKeyInput,
      responses: { 201: { description: 'The key, once.', schema: NewApiKey } },
      handle: async ({ body, principal }) => ({ status: 201, body: await keys.add(body, principal) }),
    }),
    defineRoute({
      id: 'getKey',
      method: 'GET',
      path: '/api/access/keys/:name',
      summary: 'One API key, without the key itself.',
      params,
      responses: { 200: { description: 'The key.', schema: ApiKeyView } },
      handle: ({ params: { name } }) => ({ status: 200, body: keys.get(name) }),
    }),
    defineRoute({
      id: 'revokeKey',
      method: 'DELETE',
      path: '/api/access/keys/:name',
      summary: 'Revoke an API key. Whoever uses it is refused from now on.',
      params,
      responses: { 204: { description: 'It is gone.' } },
      handle: async ({ params: { name }, principal }) => {
        await keys.revoke(name, principal)
        return { status: 204 }
      },
    }),
  ]
}

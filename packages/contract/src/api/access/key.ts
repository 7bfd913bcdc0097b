import { z } from 'zod'

import { ApiKeyInput, ApiKeyView, NewApiKey } from '../../access/access.ts'
import type { ApiOperation } from '../operation.ts'

const params = z.object({ name: z.string() })

export const keyOperations = {
  listKeys: {
    method: 'GET',
    path: '/api/access/keys',
    summary: 'API keys, without the keys themselves.',
    responses: { 200: { description: 'The keys.', schema: z.object({ keys: z.array(ApiKeyView) }) } },
  },
  addKey: {
    method: 'POST',
    path: '/api/access/keys',
    role: 'member',
    summary: 'Make an API key. This answer is the only one that holds it.',
    body: ApiKeyInput,
    responses: { 201: { description: 'The key, once.', schema: NewApiKey } },
    errors: ['KEY_EXISTS'],
  },
  getKey: {
    method: 'GET',
    path: '/api/access/keys/:name',
    summary: 'One API key, without the key itself.',
    params,
    responses: { 200: { description: 'The key.', schema: ApiKeyView } },
    errors: ['KEY_NOT_FOUND'],
  },
  revokeKey: {
    method: 'DELETE',
    path: '/api/access/keys/:name',
    role: 'member',
    summary: 'Revoke an API key. Whoever uses it is refused from now on.',
    params,
    responses: { 204: { description: 'It is gone.' } },
    errors: ['KEY_NOT_FOUND'],
  },
} as const satisfies Record<string, ApiOperation>

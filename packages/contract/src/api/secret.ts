import { z } from 'zod'

import {
  GenerateSecretInput,
  GeneratedSecret,
  RotationInput,
  SecretInput,
  SecretKeysView,
  SecretView,
  StoreSecretInput,
} from '../secret/secret.ts'
import type { ApiOperation } from './operation.ts'

const params = z.object({ name: z.string().describe('Name of a secret.') })

export const secretOperations = {
  listSecrets: {
    method: 'GET',
    path: '/api/secrets',
    summary: 'Every secret by name, and who uses it. Values are never shown.',
    responses: { 200: { description: 'The secrets.', schema: z.object({ secrets: z.array(SecretView) }) } },
  },
  setSecret: {
    method: 'PUT',
    path: '/api/secrets/:name',
    summary: 'Stores a secret, or another value of it. Connectors that use it start anew.',
    params,
    body: SecretInput,
    responses: { 200: { description: 'The secret, without its value.', schema: SecretView } },
  },
  storeSecret: {
    method: 'POST',
    path: '/api/secrets',
    summary: 'Stores a value under a free name, made from the proposed one. No stored secret is replaced.',
    body: StoreSecretInput,
    responses: { 201: { description: 'The secret, without its value.', schema: SecretView } },
  },
  generateSecret: {
    method: 'POST',
    path: '/api/secrets/:name/generate',
    summary: 'Makes up a secret, stores it, and shows its value this once.',
    params,
    body: GenerateSecretInput.optional(),
    responses: { 201: { description: 'The secret with its value.', schema: GeneratedSecret } },
  },
  removeSecret: {
    method: 'DELETE',
    path: '/api/secrets/:name',
    summary: 'Forgets a secret. One that connectors use is kept, unless force is given.',
    params,
    query: z.object({ force: z.enum(['true', 'false']).default('false') }),
    responses: { 204: { description: 'It is gone.' } },
    errors: ['SECRET_NOT_FOUND', 'SECRET_IN_USE'],
  },
  listSecretKeys: {
    method: 'GET',
    path: '/api/secret-keys',
    summary: 'The keys that seal secrets: names and times.',
    responses: { 200: { description: 'The keys.', schema: SecretKeysView } },
  },
  rotateSecretKeys: {
    method: 'POST',
    path: '/api/secret-keys/rotate',
    role: 'owner',
    summary: 'Replaces the data key and seals every value anew, or replaces the master key.',
    body: RotationInput.optional(),
    responses: { 200: { description: 'The keys as they are then.', schema: SecretKeysView } },
    errors: ['KEY_ROTATION_PENDING'],
  },
} as const satisfies Record<string, ApiOperation>

import {
  GeneratedSecret,
  GenerateSecretInput,
  RotationInput,
  SecretInput,
  SecretKeysView,
  SecretView,
} from '@herma/contract'
import { z } from 'zod'

import { defineRoute, type Route } from '../platform/http/index.ts'

/** What people and programs may do with secrets. No answer holds a value but the one that generates it. */
export interface SecretService {
  list(): SecretView[]
  set(name: string, input: SecretInput): Promise<SecretView>
  generate(name: string, input: GenerateSecretInput): Promise<GeneratedSecret>
  remove(name: string, force?: boolean): Promise<void>
}

export interface KeyService {
  describe(): Promise<SecretKeysView>
  rotate(input: RotationInput): Promise<SecretKeysView>
}

const params = z.object({ name: z.string().describe('Name of a secret.') })

export function secretRoutes(secrets: SecretService, keys: KeyService): Route[] {
  return [...storedSecretRoutes(secrets), ...keyRoutes(keys)]
}

function storedSecretRoutes(secrets: SecretService): Route[] {
  return [
    defineRoute({
      id: 'listSecrets',
      method: 'GET',
      path: '/api/secrets',
      summary: 'Every secret by name, and who uses it. Values are never shown.',
      responses: { 200: { description: 'The secrets.', schema: z.object({ secrets: z.array(SecretView) }) } },
      handle: () => ({ status: 200, body: { secrets: secrets.list() } }),
    }),
    defineRoute({
      id: 'setSecret',
      method: 'PUT',
      path: '/api/secrets/:name',
      summary: 'Stores a secret, or another value of it. Connectors that use it start anew.',
      params,
      body: SecretInput,
      responses: { 200: { description: 'The secret, without its value.', schema: SecretView } },
      handle: async ({ params: { name }, body }) => ({ status: 200, body: await secrets.set(name, body) }),
    }),
    defineRoute({
      id: 'generateSecret',
      method: 'POST',
      path: '/api/secrets/:name/generate',
      summary: 'Makes up a secret, stores it, and shows its value this once.',
      params,
      body: GenerateSecretInput.optional(),
      responses: { 201: { description: 'The secret with its value.', schema: GeneratedSecret } },
      handle: async ({ params: { name }, body }) => ({ status: 201, body: await secrets.generate(name, body ?? {}) }),
    }),
    defineRoute({
      id: 'removeSecret',
      method: 'DELETE',
      path: '/api/secrets/:name',
      summary: 'Forgets a secret. One that connectors use is kept, unless force is given.',
      params,
      query: z.object({ force: z.enum(['true', 'false']).default('false') }),
      responses: { 204: { description: 'It is gone.' } },
      handle: async ({ params: { name }, query }) => {
        await secrets.remove(name, query.force === 'true')
        return { status: 204 }
      },
    }),
  ]
}

function keyRoutes(keys: KeyService): Route[] {
  return [
    defineRoute({
      id: 'listSecretKeys',
      method: 'GET',
      path: '/api/secret-keys',
      summary: 'The keys that seal secrets: names and times.',
      responses: { 200: { description: 'The keys.', schema: SecretKeysView } },
      handle: async () => ({ status: 200, body: await keys.describe() }),
    }),
    defineRoute({
      id: 'rotateSecretKeys',
      method: 'POST',
      path: '/api/secret-keys/rotate',
      summary: 'Replaces the data key and seals every value anew, or replaces the master key.',
      body: RotationInput.optional(),
      responses: { 200: { description: 'The keys as they are then.', schema: SecretKeysView } },
      handle: async ({ body }) => ({ status: 200, body: await keys.rotate(body ?? {}) }),
    }),
  ]
}

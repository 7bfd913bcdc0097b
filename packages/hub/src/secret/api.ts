import { secretOperations } from '@herma/contract/api'
import { type Route, serve } from '../platform/http/index.ts'
import type { Secrets } from './secrets.ts'
import type { KeyRotation } from './key/key-rotation.ts'

export function secretApi(secrets: Secrets, keys: KeyRotation): Route[] {
  return serve(secretOperations, {
    listSecrets: () => ({ secrets: secrets.list() }),
    setSecret: ({ params: { name }, body }) => secrets.set(name, body),
    storeSecret: ({ body }) => secrets.store(body),
    generateSecret: ({ params: { name }, body }) => secrets.generate(name, body ?? {}),
    removeSecret: ({ params: { name }, query }) => secrets.remove(name, query.force === 'true'),
    listSecretKeys: () => keys.describe(),
    rotateSecretKeys: ({ body }) => keys.rotate(body ?? {}),
  })
}

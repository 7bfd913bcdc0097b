import type {
  GenerateSecretInput,
  GeneratedSecret,
  RotationInput,
  SecretInput,
  SecretKeysView,
  SecretView,
} from '@herma/contract'
import { secretOperations } from '@herma/contract/api'
import { type Route, serve } from '../platform/http/index.ts'

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

export function secretApi(secrets: SecretService, keys: KeyService): Route[] {
  return serve(secretOperations, {
    listSecrets: () => ({ secrets: secrets.list() }),
    setSecret: ({ params: { name }, body }) => secrets.set(name, body),
    generateSecret: ({ params: { name }, body }) => secrets.generate(name, body ?? {}),
    removeSecret: ({ params: { name }, query }) => secrets.remove(name, query.force === 'true'),
    listSecretKeys: () => keys.describe(),
    rotateSecretKeys: ({ body }) => keys.rotate(body ?? {}),
  })
}

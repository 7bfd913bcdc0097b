import { secretNamesIn } from '@herma/contract'
import { isSecretName, type Secrets } from '../../secret/index.ts'
import type { SessionSecrets } from '../../session/index.ts'

/** The stored secrets as sessions use them. */
export function toSessionSecrets(secrets: Secrets): SessionSecrets {
  return {
    has: (name) => secrets.has(name),
    valueOf: (name) => (secrets.has(name) ? secrets.valueOf(name) : undefined),
    namesIn: secretNamesIn,
    resolve: (text) => secrets.resolve(text),
    isSecretName,
  }
}

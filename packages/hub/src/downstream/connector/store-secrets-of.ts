import { type Connector, moveSecrets } from '@herma/contract'
import type { Secrets } from '../../secret/index.ts'
import type { StoredConnector } from './store.ts'

interface StoredWithSecrets {
  readonly stored: StoredConnector
  /** Their names. */
  readonly storedSecrets: string[]
}

/**
 * Stores what looks like a secret in a connector under names, and then the connector, which refers to them. When the
 * connector cannot be stored, the secrets are gone again.
 */
export async function storeSecretsOf(
  connector: Connector,
  secrets: Pick<Secrets, 'storeNew' | 'remove'>,
  save: (connector: Connector) => Promise<StoredConnector>,
): Promise<StoredWithSecrets> {
  const moved = await secrets.storeNew((isTaken) => {
    const { connector: referring, secrets: found } = moveSecrets(connector, isTaken)
    const named = found.map(({ name, value, from }) => ({
      name,
      value,
      description: `Of ${connector.name}: ${from.join(', ')}`.slice(0, 1000),
    }))
    return { referring, secrets: named }
  })
  const storedSecrets = moved.secrets.map(({ name }) => name)
  try {
    return { stored: await save(moved.referring), storedSecrets }
  } catch (error) {
    // Where the store is away this fails too, and what failed first is what a person has to hear.
    await Promise.allSettled(storedSecrets.map((name) => secrets.remove(name, true)))
    throw error
  }
}

import { type ConnectorInput, HubError, type ImportAnswer, type SavedConnector } from '@herma/contract'

import { parseClientConfig, type ClientConfig } from './client-config.ts'

/** What an import needs of the connectors. */
export interface ConnectorAdder {
  add(input: ConnectorInput, options: SecretOptions): Promise<Pick<SavedConnector, 'warnings' | 'storedSecrets'>>
}

/** What becomes of values that look like secrets. */
export interface SecretOptions {
  readonly storeSecrets: boolean
}

/** Adds every server of a client's configuration. One that is refused does not stop the others. */
export async function importConnectors(
  value: unknown,
  connectors: ConnectorAdder,
  options: SecretOptions = { storeSecrets: false },
): Promise<ImportAnswer> {
  return addServers(parseClientConfig(value), connectors, options)
}

/** The same for servers that were read already. */
export async function addServers(
  { servers, failed }: ClientConfig,
  connectors: ConnectorAdder,
  options: SecretOptions = { storeSecrets: false },
): Promise<ImportAnswer> {
  const answer: ImportAnswer = {
    added: [],
    skipped: [],
    failed: [...failed],
    remarks: [],
    warnings: [],
    storedSecrets: [],
  }
  for (const { name, input, remarks } of servers) {
    try {
      const { warnings, storedSecrets } = await connectors.add(input, options)
      answer.added.push(input.name)
      answer.storedSecrets.push(...storedSecrets)
      answer.warnings.push(...warnings.map((text) => ({ name: input.name, text })))
      answer.remarks.push(...remarks.map((text) => ({ name: input.name, text })))
    } catch (error) {
      if (!(error instanceof HubError)) throw error
      if (error.code === 'CONNECTOR_EXISTS') answer.skipped.push({ name, reason: error.message })
      else if (error.code === 'CONNECTOR_INVALID' || error.code === 'OWNER_ONLY')
        answer.failed.push({ name, reason: error.message })
      // Anything else, such as a store that is away, would fail for the rest in the same way.
      else throw error
    }
  }
  return answer
}

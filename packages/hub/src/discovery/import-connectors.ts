import { type ConnectorInput, HubError, type ImportAnswer } from '@herma/contract'

import { parseClientConfig, type ClientConfig } from './client-config.ts'

/** What an import needs of the connectors. */
export interface ConnectorAdder {
  add(input: ConnectorInput): Promise<unknown>
}

/** Adds every server of a client's configuration. One that is refused does not stop the others. */
export async function importConnectors(value: unknown, connectors: ConnectorAdder): Promise<ImportAnswer> {
  return addServers(parseClientConfig(value), connectors)
}

/** The same for servers that were read already. */
export async function addServers({ servers, failed }: ClientConfig, connectors: ConnectorAdder): Promise<ImportAnswer> {
  const answer: ImportAnswer = { added: [], skipped: [], failed: [...failed], remarks: [] }
  for (const { name, input, remarks } of servers) {
    try {
      await connectors.add(input)
      answer.added.push(input.name)
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

import { type ConnectorInput, HubError, ImportReport } from '@herma/contract'
import { z } from 'zod'

import { parseClientConfig } from './client-config.ts'

/** The report of an import, with what could not be taken over of the connectors that were added. */
export const ImportAnswer = ImportReport.extend({
  remarks: z.array(z.object({ name: z.string(), text: z.string() })),
})
export type ImportAnswer = z.infer<typeof ImportAnswer>

/** What an import needs of the connectors. */
export interface ConnectorAdder {
  add(input: ConnectorInput): Promise<unknown>
}

/** Adds every server of a client's configuration. One that is refused does not stop the others. */
export async function importConnectors(value: unknown, connectors: ConnectorAdder): Promise<ImportAnswer> {
  const { servers, failed } = parseClientConfig(value)
  const answer: ImportAnswer = { added: [], skipped: [], failed, remarks: [] }
  for (const { name, input, remarks } of servers) {
    try {
      await connectors.add(input)
      answer.added.push(input.name)
      answer.remarks.push(...remarks.map((text) => ({ name: input.name, text })))
    } catch (error) {
      if (!(error instanceof HubError)) throw error
      if (error.code === 'CONNECTOR_EXISTS') answer.skipped.push({ name, reason: error.message })
      else if (error.code === 'CONNECTOR_INVALID') answer.failed.push({ name, reason: error.message })
      // Anything else, such as a store that is away, would fail for the rest in the same way.
      else throw error
    }
  }
  return answer
}

import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import type { Host } from '../../../host/host.ts'
import { Batch, batchVersion, maxBatchSize } from '../../../protocol/batch.ts'
import { isRequest, readMessage } from '../../../protocol/message.ts'
import { emit } from '../../../telemetry/events.ts'
import type { LegacyConnection } from './connection-table.ts'

/** Says why a batch cannot be taken from this connection. */
export function batchProblem(values: readonly unknown[], { protocol }: LegacyConnection): string | undefined {
  if (protocol.connection?.version !== batchVersion) {
    return `Batches belong to ${batchVersion}; send the messages one by one.`
  }
  if (values.length === 0) return 'A batch must not be empty.'
  return values.length > maxBatchSize ? `A batch has at most ${maxBatchSize} messages.` : undefined
}

/** The messages of a batch, and what gathers the answers to them. */
export function takeBatch(
  host: Host,
  values: readonly unknown[],
  connection: LegacyConnection,
  finish: (answers: readonly JSONRPCMessage[]) => void,
): { batch: Batch; messages: readonly JSONRPCMessage[] } {
  emit('mcp.batch', () => ({ server: host.info.name, connection: connection.id, size: values.length }))
  const read = values.map(readMessage)
  const messages = read.flatMap((entry) => ('message' in entry ? [entry.message] : []))
  const refusals = read.flatMap((entry) => ('refusal' in entry ? [entry.refusal] : []))
  return { messages, batch: new Batch(messages, (answers) => finish([...refusals, ...answers])) }
}

export function requestsIn(messages: readonly JSONRPCMessage[]) {
  return messages.filter((message) => isRequest(message))
}

import { HubError } from '@herma/contract'
import { ShapedTool } from '../../../catalog/index.ts'
import { checkParamHeaders as findMismatch, modernRevision } from '../../../wire/index.ts'
import type { Exchange } from '../exchange.ts'

/** A tool may want parameters in headers too: they must say the same, and go on to its server. */
export function checkParamHeaders(exchange: Exchange): void {
  const { entry } = exchange
  if (!(entry instanceof ShapedTool) || entry.paramHeaders === null) return
  exchange.paramHeaders = entry.paramHeaders
  // A plain JSON-RPC request has its parameters in one place only.
  if (exchange.transport === 'rpc' || exchange.caller.revision !== modernRevision) return
  const mismatch = findMismatch(entry.paramHeaders, exchange.headers, exchange.params?.['arguments'])
  if (mismatch !== undefined) throw new HubError('HEADER_MISMATCH', `Header mismatch: ${mismatch}.`)
}

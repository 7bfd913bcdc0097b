import { ShapedTool } from '../../../catalog/index.ts'
import type { Exchange } from '../exchange.ts'
import type { CallContext } from './call-steps.ts'

/** Sends the call to the server that has the tool or prompt, by the name that it has there. */
export function callDownstream(exchange: Exchange, { downstreams, outputs }: CallContext): void {
  const entry = exchange.entry!
  const { source, original } = entry
  if (entry instanceof ShapedTool && entry.checksLeft > 0) exchange.onAnswer = outputs.for(entry)
  exchange.recorder.routed(exchange, { connector: source.name, original, because: 'the name leads there' })
  useOriginalName(exchange, original)
  downstreams.byId(source.id).call(exchange)
}

/** What the server is asked for has the name that it gave itself. */
export function useOriginalName(exchange: Exchange, original: string): void {
  if (exchange.params!['name'] !== original) exchange.params = { ...exchange.params, name: original }
}

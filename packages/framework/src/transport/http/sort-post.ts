import { classifyInboundRequest, type InboundClassificationOutcome } from '@modelcontextprotocol/server'
import { looksLikeRequest } from '../../protocol/message-kind.ts'
import { modernVersion } from '../../protocol/version.ts'
import { metaKeys, metaOf } from '../../wire/meta.ts'
import type { HttpExchange } from './exchange.ts'

/** Finds the era of what was posted, or what is wrong with it. */
export function sortPost(body: unknown, exchange: HttpExchange): InboundClassificationOutcome {
  const protocolVersionHeader = exchange.header('mcp-protocol-version')
  const mcpMethodHeader = exchange.header('mcp-method')
  // Nearly all posts are like this. The SDK, which first takes each for an answer of a client, needs several times as
  // long for them; what is missing in the envelope it finds when the request reaches it.
  const isPlain =
    protocolVersionHeader === modernVersion &&
    looksLikeRequest(body) &&
    body.method === mcpMethodHeader &&
    body.method !== 'subscriptions/listen' &&
    metaOf(body.params)?.[metaKeys.revision] === modernVersion
  if (isPlain) return { kind: 'modern', messageKind: 'request', message: body, classification }
  const mcpNameHeader = exchange.header('mcp-name')
  return classifyInboundRequest({ httpMethod: 'POST', protocolVersionHeader, mcpMethodHeader, mcpNameHeader, body })
}

const classification = { era: 'modern', revision: modernVersion } as const

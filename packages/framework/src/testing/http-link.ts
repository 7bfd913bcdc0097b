import { SSEClientTransport, StreamableHTTPClientTransport, type JSONRPCMessage } from '@modelcontextprotocol/client'
import type { Auth, Principal } from '../auth/auth.ts'
import type { Host } from '../host/host.ts'
import type { Served } from '../server/served.ts'
import { Denied } from '../protocol/errors.ts'
import { eraOf, type Version } from '../protocol/version.ts'
import { encodeHeaderValue } from '../wire/header-value.ts'
import { isObject } from '../wire/meta.ts'
import { idsOf, isAnswerDue, within, type Link } from './link.ts'
import type { TestOptions } from './test-options.ts'

export interface HttpLinkOptions extends TestOptions {
  readonly version: Version
  readonly timeoutMs: number
}

/** Serves on a free port of loopback and speaks to it as the revision says: 2024-11-05 over HTTP+SSE. */
export async function httpLink(served: Served, host: Host, options: HttpLinkOptions): Promise<Link> {
  const { version, principal, headers = {} } = options
  const given = options.http === true || options.http === undefined ? {} : options.http
  const isSse = version === '2024-11-05'
  const auth = given.auth ?? (principal === undefined ? undefined : letIn(principal))
  const running = await served
    .http({ ...given, ...(auth && { auth }), ...(isSse && { sse: given.sse ?? true }) })
    .listen(0)
  const { url } = running
  const peer = { kind: isSse ? 'sse' : 'http', principal, send: () => {} } as const
  if (isSse) {
    const path = typeof given.sse === 'object' ? given.sse.path : undefined
    const transport = new SSEClientTransport(new URL(path ?? '/sse', url), { requestInit: { headers: { ...headers } } })
    return {
      transport,
      peer,
      connection: () => [...host.connections.values()].findLast((connection) => connection.kind === 'sse'),
      exchange: (value) => overStream(transport, value, options.timeoutMs),
      close: () => running.stop(),
    }
  }
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers: { ...headers } } })
  return {
    transport,
    peer,
    connection: () => host.connections.get(transport.sessionId ?? ''),
    exchange: (value) => post(transport, url, { value, version, headers, timeoutMs: options.timeoutMs }),
    close: () => running.stop(),
  }
}

/** Takes everybody for this principal: who it is is what the test says, not what is tested. */
function letIn(principal: Principal): Auth {
  return {
    authenticate: () => ({ principal }),
    challenge: (scopes) => ({
      status: 403,
      headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"` },
      body: new Denied(scopes).message,
    }),
  }
}

async function overStream(transport: SSEClientTransport, value: unknown, timeoutMs: number): Promise<unknown> {
  const ids = new Set(idsOf(value))
  const deliver = transport.onmessage
  const answer = new Promise<unknown>((resolve) => {
    transport.onmessage = (message) => {
      const isAnswer = !('method' in message) && ids.has(message.id)
      if (isAnswer) resolve(message)
      else deliver?.(message)
    }
  })
  try {
    await transport.send(value as JSONRPCMessage)
    return isAnswerDue(value) ? await within(answer, timeoutMs, `The answer to ${JSON.stringify(value)}`) : undefined
  } finally {
    transport.onmessage = deliver
  }
}

interface Posted {
  readonly value: unknown
  readonly version: Version
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

async function post(transport: StreamableHTTPClientTransport, url: URL, posted: Posted): Promise<unknown> {
  const { value, version, headers, timeoutMs } = posted
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      ...(transport.sessionId !== undefined && { 'mcp-session-id': transport.sessionId }),
      ...(eraOf(version) === 'modern' && namesIn(value)),
      ...headers,
    },
    body: JSON.stringify(value),
    signal: AbortSignal.timeout(timeoutMs),
  })
  const text = await response.text()
  if (text === '') return undefined
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) return JSON.parse(text)
  const ids = new Set(idsOf(value))
  const messages = text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []))
  for (const message of messages) if ('method' in message) transport.onmessage?.(message)
  return messages.find((message) => !('method' in message) && ids.has(message.id))
}

/** Modern requests repeat in headers what they are about. */
function namesIn(value: unknown): Record<string, string> {
  if (!isObject(value) || typeof value['method'] !== 'string') return {}
  const params = isObject(value['params']) ? value['params'] : {}
  const name = params['name'] ?? params['uri'] ?? params['taskId']
  return {
    'mcp-method': value['method'],
    ...(typeof name === 'string' && { 'mcp-name': encodeHeaderValue(name) }),
  }
}

import { setImmediate as turn } from 'node:timers/promises'
import { HubError } from '@herma/contract/plain'

import { modernHeaders, runExchange, type McpExchange, type ExchangeOutcome } from '../../mcp-client/index.ts'
import { isObject, readJson, type RpcError } from '../../wire/index.ts'
import type { HubSupervisor, HubRun } from './hub/hub-supervisor.ts'
import { sendToHub } from './hub/send-to-hub.ts'
import type { LegacyConnection } from './legacy/legacy-connection.ts'
import type { LineOutput } from './client/line-output.ts'
import type { OpenRequest, RequestTable } from './client/request-table.ts'
import type { ToolHeaders } from './hub/tool-headers.ts'

export interface RelayOptions {
  readonly path: string
  readonly keeper: HubSupervisor
  readonly output: LineOutput
  readonly table: RequestTable
  readonly toolHeaders: ToolHeaders
  /** The connection of a legacy client. */
  readonly connection: LegacyConnection | null
}

/** How long a request waits for a hub that is away. */
const hubLimitMs = 15_000
/** The same for the first request of a client: many give a server ten seconds to start. */
const firstLimitMs = 9000
const maxAttempts = 5

/** What only reads or sets can be sent again when nobody knows whether it was done. */
const repeatable: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'completion/complete',
  'logging/setLevel',
])

/** What the client has to have set again when the hub is another one. */
const remembered: ReadonlySet<string> = new Set(['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'])

/**
 * Sends a request to the hub, waiting for one if need be, and passes everything on that comes back. Returns the error to
 * answer with, null when there is none, and `absent` when `isFallback` and there is no hub.
 */
export async function relayRequest(
  open: OpenRequest,
  isFallback: boolean,
  parts: RelayOptions,
): Promise<RpcError | null | 'absent'> {
  const { keeper, table } = parts
  const { signal } = open.closing
  for (let attempt = 1; ; attempt++) {
    const limitMs = isFirst(open) ? firstLimitMs : hubLimitMs
    const hub = isFallback ? await keeper.needUnlessAbsent(limitMs, signal) : await keeper.need(limitMs, signal)
    if (hub === null) return 'absent'
    const outcome = await post(open, hub, parts)
    if (signal.aborted || outcome.kind === 'answered') return null
    if (outcome.kind === 'empty') return { code: -32603, message: 'The hub gave no answer.' }
    if (outcome.kind === 'refused') {
      if (attempt >= maxAttempts || !(await canAmend(open, hub, outcome, parts))) return outcome.error
    } else {
      await keeper.suspect(hub)
      if (outcome.kind === 'broken' && !(open.line !== null && isRepeatable(open)))
        throw mayHaveRun(open, outcome.error)
      if (attempt >= maxAttempts) throw unreachable(outcome.error)
    }
    table.move(open, 'waiting')
  }
}

async function post(open: OpenRequest, hub: HubRun, parts: RelayOptions): Promise<ExchangeOutcome> {
  const { table, output } = parts
  let place: Pick<McpExchange, 'url' | 'headers'>
  try {
    place = await addressOf(open, hub, parts)
  } catch (error) {
    // The connection could not be opened again, so nothing of the request was sent.
    return { kind: 'unsent', error: error as Error }
  }
  // A hub that died a moment ago closed its sockets, but maybe nobody has looked at them yet. What is written to one of
  // them counts as sent, so whatever waits to be noticed is noticed first.
  await turn()
  table.move(open, 'sent')
  let sessionId: unknown
  return runExchange(sendToHub, {
    ...place,
    body: open.line!,
    signal: open.closing.signal,
    canResume: open.era === 'legacy',
    drained: () => output.drained(),
    onHead: ({ statusCode, headers }) => {
      sessionId = headers['mcp-session-id']
      if (statusCode === 200) table.move(open, 'heard')
    },
    take: (bytes, from) => {
      if (open.closing.signal.aborted) return true
      if (open.message?.method === 'initialize') adopt(bytes, hub, sessionId, parts)
      return take(bytes, from, open, parts)
    },
  })
}

async function addressOf(
  open: OpenRequest,
  hub: HubRun,
  parts: RelayOptions,
): Promise<Pick<McpExchange, 'url' | 'headers'>> {
  const { message, era } = open
  const url = new URL(parts.path, hub.url)
  if (era === 'modern') return { url, headers: modernHeaders(message!, parts.toolHeaders.of(toolOf(open))) }
  if (message?.method === 'initialize' || parts.connection === null) return { url, headers: {} }
  return parts.connection.session(hub)
}

/** Passes a message on; true when the last id is answered. */
function take(
  bytes: Buffer,
  from: 'body' | 'stream',
  open: OpenRequest,
  { output, connection }: RelayOptions,
): boolean {
  const { message } = open
  const isOnly = from === 'body' && message !== null
  if (isOnly && !remembered.has(message.method)) {
    output.write(bytes)
    open.ids.clear()
    return true
  }
  const value = readJson(bytes.toString('utf8'))
  for (const part of Array.isArray(value) ? value.filter(isObject) : [value]) {
    if (!isObject(part) || 'method' in part) continue
    open.ids.delete(part['id'] as string | number)
    if (message !== null && 'result' in part) connection?.remember(message.method, message.params)
  }
  output.write(isObject(value) && connection !== null ? connection.outward(bytes, value) : bytes)
  return open.ids.size === 0
}

function adopt(bytes: Buffer, hub: HubRun, sessionId: unknown, { connection }: RelayOptions): void {
  const answer = JSON.parse(bytes.toString('utf8')) as { result?: { protocolVersion?: unknown } }
  const revision = answer.result?.protocolVersion
  if (typeof sessionId === 'string' && typeof revision === 'string') connection?.adopt(hub, sessionId, revision)
}

/** Puts right what the hub refused before it did anything; false when that is not possible. */
async function canAmend(
  open: OpenRequest,
  hub: HubRun,
  { status, error }: ExchangeOutcome & { kind: 'refused' },
  { connection, toolHeaders, path }: RelayOptions,
): Promise<boolean> {
  if (open.era === 'legacy' && status === 404 && error.code === -32001 && connection !== null) {
    connection.lose()
    return true
  }
  const tool = toolOf(open)
  if (error.code !== -32020 || tool === '') return false
  const before = JSON.stringify(toolHeaders.of(tool))
  try {
    await toolHeaders.learn(new URL(path, hub.url), tool, open.closing.signal)
  } catch {
    // Without the list the refusal stands, and says more than why there is no list.
    return false
  }
  return JSON.stringify(toolHeaders.of(tool)) !== before
}

function toolOf({ message, era }: OpenRequest): string {
  const name = message?.method === 'tools/call' && era === 'modern' ? message.params?.['name'] : undefined
  return typeof name === 'string' ? name : ''
}

function isFirst({ message }: OpenRequest): boolean {
  return message?.method === 'initialize' || message?.method === 'server/discover'
}

function isRepeatable({ message }: OpenRequest): boolean {
  return message !== null && repeatable.has(message.method)
}

function mayHaveRun({ message }: OpenRequest, cause: Error): HubError {
  const what = message === null ? 'a batch' : message.method
  return new HubError(
    'HUB_NOT_RUNNING',
    `The hub was lost while it worked on ${what}. It may have run: look before you repeat it.`,
    { cause },
  )
}

function unreachable(cause: Error): HubError {
  return new HubError('HUB_NOT_RUNNING', `The hub cannot be reached: ${cause.message}`, { cause })
}

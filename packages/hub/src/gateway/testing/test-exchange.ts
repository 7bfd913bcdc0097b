import {
  modernRevision,
  operator,
  piecesToBuffer,
  type Caller,
  type Pieces,
  type RequestMessage,
} from '../../wire/index.ts'
import { Events } from '../../platform/events.ts'
import { CallRecorder } from '../call/call-recorder.ts'
import { Exchange } from '../call/exchange.ts'
import type { ResponseSink } from '../transport/sink/response-sink.ts'
import type { Parking } from '../call/parking.ts'
import type { StateSealer } from '../call/request-state.ts'

export const modernCaller: Caller = {
  principal: 'operator',
  server: 'facade',
  era: 'modern',
  revision: modernRevision,
  clientInfo: undefined,
  capabilities: { elicitation: {}, roots: {} },
  connectionId: null,
  logLevel: null,
}

/** A sink that keeps what it is given. */
export class TestSink implements ResponseSink {
  readonly id = 1
  readonly clientId = '1'
  onGone: (() => void) | null = null
  answer: { result?: Record<string, unknown>; error?: { code: number; message: string } } | null = null
  status: number | null = null
  isClosed = false

  finish(pieces: Pieces, status: number): void {
    this.answer = JSON.parse(piecesToBuffer(pieces).toString('utf8')) as typeof this.answer
    this.status = status
  }

  send(): boolean {
    return true
  }

  begin(): boolean {
    return false
  }

  continue(): boolean {
    return true
  }

  end(): void {}

  close(): void {
    this.isClosed = true
  }

  beat(): void {}
}

/** Tells nobody anything. */
export const silentRecorder = new CallRecorder({
  events: new Events(),
  captureOf: () => ({ level: 'off', sample: 1, maxBodyBytes: 0 }),
  routeOf: () => 'mcp:stdio',
  propagates: () => false,
  masks: { redactValue: (value) => value, createStream: () => ({ push: (piece) => piece }) },
})

/** A request of a modern client that nobody handles yet. */
export function createExchange(
  parking: Parking,
  request: { method?: string; params?: Record<string, unknown>; caller?: Partial<Caller> } = {},
): { exchange: Exchange; sink: TestSink } {
  const sink = new TestSink()
  const { method = 'tools/call', params = { name: 'tool' }, caller } = request
  const message: RequestMessage = { jsonrpc: '2.0', id: 1, method, params }
  const arrival = {
    message,
    caller: { ...modernCaller, ...caller },
    principal: operator,
    connection: null,
    headers: {},
    transport: 'stream' as const,
    isLocal: true,
    bytes: null,
    sink,
  }
  const exchange = new Exchange(1, arrival, { parking, recorder: silentRecorder, add: () => {}, remove: () => {} })
  return { exchange, sink }
}

/** Seals in plain sight, so that a test can read along. */
export const plainSealer: StateSealer = {
  seal: (plaintext) => `sealed ${plaintext}`,
  open: (token) => (token.startsWith('sealed ') ? token.slice('sealed '.length) : null),
}

import {
  HubError,
  type EventView,
  type Principal,
  type ReplayReport,
  type ReplayRequest,
  type Trace,
} from '@herma/contract'
import { recordedCalls, type RecordedCall } from '../export/recorded-call.ts'
import { findMasked } from '../../platform/text/find-masked.ts'

/** A call as it is sent. */
export interface ReplayedCall {
  readonly server: string
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

export interface ReplayOptions {
  trace(traceId: string): Promise<Pick<Trace, 'events'>>
  /** Throws SERVER_NOT_FOUND. */
  send(
    principal: Principal,
    call: ReplayedCall,
  ): Promise<
    Pick<ReplayReport, 'traceId' | 'error' | 'ms'> & { readonly result: Readonly<Record<string, unknown>> | null }
  >
  /** What stands in place of a secret. */
  readonly mask: string
  redactValue(value: unknown): unknown
}

type Fields = Record<string, unknown>

/** What a client asks and a server answers in one go. */
const replayable: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
  'completion/complete',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
])

export class Replays {
  readonly #parts: ReplayOptions

  constructor(parts: ReplayOptions) {
    this.#parts = parts
  }

  /** Sends a recorded call again on behalf of who asks. */
  async replay(traceId: string, request: ReplayRequest, principal: Principal): Promise<ReplayReport> {
    const { events } = await this.#parts.trace(traceId)
    const recorded = choose(traceId, events, request.spanId)
    const { server: asked = 'facade', method = '', target = null, ms = null } = recorded.event
    const server = request.server ?? asked
    const params = paramsOf(recorded, request, asked)
    this.#requireUnmasked(params, request)
    const answer = await this.#parts.send(principal, { server, method, params })
    const isError = answer.error !== null || answer.result?.['isError'] === true
    const { response } = recorded
    return {
      ...answer,
      result: this.#parts.redactValue(answer.result),
      server,
      method,
      target,
      isError,
      recorded: {
        arguments: recorded.params?.['arguments'],
        result: response?.['result'],
        error: response?.['error'],
        ms,
      },
    }
  }

  /** A call with a mask where a secret was would not be the same call, and might be taken for one. */
  #requireUnmasked(params: Fields, { arguments: given }: ReplayRequest): void {
    const fields = findMasked(params, this.#parts.mask)
    if (fields.length === 0) return
    const what = fields.slice(0, 20).join(', ')
    const next = given === undefined ? 'Give the arguments with their values.' : 'Put their values in.'
    throw new HubError('INVALID_PARAMS', `Secrets are not recorded, and these fields held some: ${what}. ${next}`, {
      data: { fields },
    })
  }
}

function choose(traceId: string, events: readonly EventView[], spanId: string | undefined): RecordedCall {
  const calls = recordedCalls(events).filter(({ event }) => replayable.has(event.method ?? ''))
  const [first] = calls
  if (first === undefined) {
    const text = `The trace ${traceId} holds no request of a client that could be sent again.`
    throw new HubError('INVALID_PARAMS', `${text} Choose one with a call: herma traces list --kind call.finished`)
  }
  const found = spanId === undefined ? first : calls.find(({ event }) => event.spanId === spanId)
  if (found !== undefined && (spanId !== undefined || calls.length === 1)) return found
  const known = calls.slice(0, 20).map(({ event }) => `${event.spanId} (${event.method} ${event.target ?? ''})`)
  const text = spanId === undefined ? `There are ${calls.length} calls.` : `No call has the span ${spanId}.`
  throw new HubError('INVALID_PARAMS', `${text} Say which, by spanId: ${known.join(', ')}`)
}

/** What is sent: as it was recorded, or with other arguments, or made of what every event knows. */
function paramsOf({ event, params }: RecordedCall, { arguments: given }: ReplayRequest, server: string): Fields {
  const { method = '', target } = event
  // What the client of then said about itself is not what this one can do.
  const { _meta, ...own } = params ?? {}
  if (given !== undefined && (method === 'tools/call' || method === 'prompts/get'))
    return { ...own, name: own['name'] ?? target, arguments: given }
  if (params !== undefined) return own
  if (method === 'resources/read' && target !== undefined) return { uri: target }
  if (method.endsWith('/list')) return {}
  const next = `herma traces capture ${server} --level bodies`
  throw new HubError(
    'INVALID_PARAMS',
    `The arguments of this call were not recorded, or not all of them. Give them, or record them from now on: ${next}`,
  )
}

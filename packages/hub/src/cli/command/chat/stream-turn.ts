import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatEvent, ChatInput } from '@herma/contract'

import { SseParser } from '../../../wire/index.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { apiPath, type HubClient } from '../../hub/hub-client.ts'
import { refuseProblem } from '../../hub/request-text.ts'
import { sendRequest } from '../../hub/send-request.ts'

const maxEventBytes = 67_108_864
const reconnectMs = 300

interface TurnRequest {
  readonly session: string
  readonly thread: string
  /** Null = the turn that is under way. */
  readonly input: ChatInput | null
  readonly signal?: AbortSignal
}

/** What happens in a turn, until it is over. The hub ends a stream now and then; the turn is then followed anew. */
export async function* streamTurn(hub: HubClient, request: TurnRequest): AsyncGenerator<ChatEvent> {
  const { session, thread, input, signal } = request
  const seen = createSeenEvents()
  let answer = input === null ? await follow(hub, request) : await say(hub, request, input)
  if (answer === null) throw new CliError(exitCodes.notFound, `Nothing is under way in this thread of '${session}'.`)
  for (;;) {
    for await (const event of readEvents(answer)) {
      const fresh = seen.pass(event)
      if (fresh !== null) yield fresh
      if (event.type === 'done' || event.type === 'error') return
    }
    signal?.throwIfAborted()
    await sleep(reconnectMs, undefined, { signal })
    answer = await follow(hub, request)
    if (answer === null) {
      const next = `herma session thread ${session} ${thread}`
      throw new CliError(exitCodes.failed, `The turn ended while the connection was broken. See what it said: ${next}`)
    }
    seen.restart()
  }
}

async function say(hub: HubClient, { session, thread, signal }: TurnRequest, input: ChatInput) {
  const answer = await sendRequest(new URL(apiPath('sayInThread', { name: session, thread, body: input }), hub.url), {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify(input),
    signal,
  })
  await refuseProblem(answer)
  return answer
}

async function follow(hub: HubClient, { session, thread, signal }: TurnRequest): Promise<IncomingMessage | null> {
  const url = new URL(apiPath('followThread', { name: session, thread }), hub.url)
  const answer = await sendRequest(url, { method: 'GET', headers: { accept: 'text/event-stream' }, signal })
  if (answer.statusCode === 204) {
    answer.resume()
    return null
  }
  await refuseProblem(answer)
  return answer
}

async function* readEvents(answer: IncomingMessage): AsyncGenerator<ChatEvent> {
  const events: ChatEvent[] = []
  const parser = new SseParser(({ data }) => {
    if (data.length > 0) events.push(JSON.parse(data.toString('utf8')) as ChatEvent)
  }, maxEventBytes)
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      parser.push(chunk)
      yield* events.splice(0)
    }
  } catch (error) {
    // A stream that broke is followed anew, which fails with a reason when the hub is gone.
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error
  }
}

/** What was told of a turn, for a stream that breaks and is told again from its begin. */
interface SeenEvents {
  /** From now on the turn is told again. */
  restart(): void
  /** What is new of an event; null when all of it was told before. */
  pass(event: ChatEvent): ChatEvent | null
}

/** Pieces of text may come joined the second time, so that they are counted by their length, all else by its number. */
export function createSeenEvents(): SeenEvents {
  const seen: Partial<Record<ChatEvent['type'], number>> = {}
  let passed: typeof seen = {}
  return {
    restart() {
      passed = {}
    },
    pass(event) {
      const { type } = event
      const isPiece = type === 'text-delta' || type === 'reasoning-delta'
      const now = (passed[type] ?? 0) + (isPiece ? event.text.length : 1)
      passed[type] = now
      const fresh = now - (seen[type] ?? 0)
      if (fresh <= 0) return null
      seen[type] = now
      return isPiece ? { ...event, text: event.text.slice(-fresh) } : event
    },
  }
}

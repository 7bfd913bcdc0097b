import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatEvent, ChatInput } from '@herma/contract'

import { SseParser } from '../../../wire/index.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import type { HubClient } from '../../hub-client.ts'
import { sendRequest } from '../../send-request.ts'
import { threadPath } from '../session/session-path.ts'
import { refuseProblem } from '../traces/request-text.ts'
import { createSeenEvents } from './seen-events.ts'

const maxEventBytes = 67_108_864
const reconnectMs = 300

export interface TurnRequest {
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
  const answer = await sendRequest(new URL(threadPath(session, thread, '/messages'), hub.url), {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify(input),
    signal,
  })
  await refuseProblem(answer)
  return answer
}

async function follow(hub: HubClient, { session, thread, signal }: TurnRequest): Promise<IncomingMessage | null> {
  const url = new URL(threadPath(session, thread, '/events'), hub.url)
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

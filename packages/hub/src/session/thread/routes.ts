import {
  ApprovalAnswer,
  ChatInput,
  ThreadDetail,
  ThreadInput,
  ThreadPage,
  ThreadQuery,
  ThreadTotals,
  ThreadView,
  type ChatEvent,
  type Principal,
} from '@herma/contract'
import { z } from 'zod'
import { defineRoute, type Route, type StartStream } from '../../platform/http/index.ts'

/** A turn that can be listened to. */
export interface ListenedTurn {
  listen(listener: (event: ChatEvent) => void): () => void
}

/** What a route needs of the threads; everybody has their own. */
export interface ThreadService {
  list(session: string, principal: Principal, query: ThreadQuery): Promise<ThreadPage>
  totals(principal: Principal): Promise<ThreadTotals[]>
  create(session: string, principal: Principal, input: ThreadInput): Promise<ThreadView>
  get(session: string, principal: Principal, thread: string): Promise<ThreadDetail>
  rename(session: string, principal: Principal, thread: string, input: ThreadInput): Promise<ThreadView>
  remove(session: string, principal: Principal, thread: string): Promise<void>
  say(session: string, principal: Principal, thread: string, input: ChatInput): Promise<ListenedTurn>
  running(session: string, principal: Principal, thread: string): Promise<ListenedTurn | null>
  cancel(session: string, principal: Principal, thread: string): Promise<void>
  answer(session: string, principal: Principal, approval: string, answer: ApprovalAnswer): void
}

const ofSession = z.object({ name: z.string() })
const ofThread = ofSession.extend({ thread: z.string() })
const threads = '/api/sessions/:name/threads'

export function threadRoutes(desk: ThreadService): Route[] {
  return [
    defineRoute({
      id: 'listThreads',
      method: 'GET',
      path: threads,
      summary: 'Your talks with a session, the newest first.',
      params: ofSession,
      query: ThreadQuery,
      responses: { 200: { description: 'A page of threads.', schema: ThreadPage } },
      handle: async ({ params, query, principal }) => ({
        status: 200,
        body: await desk.list(params.name, principal, query),
      }),
    }),
    defineRoute({
      id: 'sumThreads',
      method: 'GET',
      path: '/api/threads',
      summary: 'How many talks you have with each session, and what they took.',
      responses: { 200: { description: 'The sums.', schema: z.object({ sessions: z.array(ThreadTotals) }) } },
      handle: async ({ principal }) => ({ status: 200, body: { sessions: await desk.totals(principal) } }),
    }),
    defineRoute({
      id: 'addThread',
      method: 'POST',
      path: threads,
      summary: 'Begin a talk with a session.',
      params: ofSession,
      body: ThreadInput,
      responses: { 201: { description: 'The thread.', schema: ThreadView } },
      handle: async ({ params, body, principal }) => ({
        status: 201,
        body: await desk.create(params.name, principal, body),
      }),
    }),
    defineRoute({
      id: 'getThread',
      method: 'GET',
      path: `${threads}/:thread`,
      summary: 'A thread with its messages.',
      params: ofThread,
      responses: { 200: { description: 'The thread.', schema: ThreadDetail } },
      handle: async ({ params, principal }) => ({
        status: 200,
        body: await desk.get(params.name, principal, params.thread),
      }),
    }),
    defineRoute({
      id: 'renameThread',
      method: 'PATCH',
      path: `${threads}/:thread`,
      summary: 'Give a thread another title.',
      params: ofThread,
      body: ThreadInput,
      responses: { 200: { description: 'The thread.', schema: ThreadView } },
      handle: async ({ params, body, principal }) => ({
        status: 200,
        body: await desk.rename(params.name, principal, params.thread, body),
      }),
    }),
    defineRoute({
      id: 'removeThread',
      method: 'DELETE',
      path: `${threads}/:thread`,
      summary: 'Forget a thread. A turn under way in it ends.',
      params: ofThread,
      responses: { 204: { description: 'It is gone.' } },
      handle: async ({ params, principal }) => {
        await desk.remove(params.name, principal, params.thread)
        return { status: 204 }
      },
    }),
    defineRoute({
      id: 'sayInThread',
      method: 'POST',
      path: `${threads}/:thread/messages`,
      summary: 'Say something to a session and hear what happens, as server-sent events of the form ChatEvent.',
      params: ofThread,
      body: ChatInput,
      responses: { 200: { description: 'A stream (text/event-stream); its last event is done or error.' } },
      handle: async ({ params, body, principal }) =>
        stream(await desk.say(params.name, principal, params.thread, body)),
    }),
    defineRoute({
      id: 'followThread',
      method: 'GET',
      path: `${threads}/:thread/events`,
      summary: 'Hear a turn that is under way, from its begin. Without one the answer is empty.',
      params: ofThread,
      responses: {
        200: { description: 'A stream (text/event-stream).' },
        204: { description: 'No turn is under way.' },
      },
      handle: async ({ params, principal }) => {
        const turn = await desk.running(params.name, principal, params.thread)
        return turn === null ? { status: 204 } : stream(turn)
      },
    }),
    defineRoute({
      id: 'cancelTurn',
      method: 'POST',
      path: `${threads}/:thread/cancel`,
      summary: 'End the turn that is under way. Nothing of it is kept.',
      params: ofThread,
      responses: { 204: { description: 'It ends.' } },
      handle: async ({ params, principal }) => {
        await desk.cancel(params.name, principal, params.thread)
        return { status: 204 }
      },
    }),
    defineRoute({
      id: 'answerApproval',
      method: 'POST',
      path: '/api/sessions/:name/approvals/:approval',
      summary: 'Allow or refuse a tool call that waits for you.',
      params: ofSession.extend({ approval: z.string() }),
      body: ApprovalAnswer,
      responses: { 204: { description: 'The session goes on.' } },
      handle: ({ params, body, principal }) => {
        desk.answer(params.name, principal, params.approval, body)
        return { status: 204 }
      },
    }),
  ]
}

/** Who reads too slowly is cut off, and may follow the turn from its begin again. */
function stream(turn: ListenedTurn) {
  const start: StartStream = (to) =>
    turn.listen((event) => {
      const isTaken = to.send('chat', event)
      if (!isTaken || event.type === 'done' || event.type === 'error') to.end()
    })
  return { status: 200, stream: start }
}

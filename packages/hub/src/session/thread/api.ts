import type {
  ApprovalAnswer,
  ChatEvent,
  ChatInput,
  Principal,
  ThreadDetail,
  ThreadInput,
  ThreadPage,
  ThreadQuery,
  ThreadTotals,
  ThreadView,
} from '@herma/contract'
import { threadOperations } from '@herma/contract/api'
import { Reply, type Route, serve } from '../../platform/http/index.ts'

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

export function threadApi(desk: ThreadService): Route[] {
  return serve(threadOperations, {
    listThreads: ({ params, query, principal }) => desk.list(params.name, principal, query),
    sumThreads: async ({ principal }) => ({ sessions: await desk.totals(principal) }),
    addThread: ({ params, body, principal }) => desk.create(params.name, principal, body),
    getThread: ({ params, principal }) => desk.get(params.name, principal, params.thread),
    renameThread: ({ params, body, principal }) => desk.rename(params.name, principal, params.thread, body),
    removeThread: ({ params, principal }) => desk.remove(params.name, principal, params.thread),
    sayInThread: async ({ params, body, principal }) =>
      stream(await desk.say(params.name, principal, params.thread, body)),
    followThread: async ({ params, principal }) => {
      const turn = await desk.running(params.name, principal, params.thread)
      return turn === null ? new Reply(undefined, { status: 204 }) : stream(turn)
    },
    cancelTurn: ({ params, principal }) => desk.cancel(params.name, principal, params.thread),
    answerApproval: ({ params, body, principal }) => desk.answer(params.name, principal, params.approval, body),
  })
}

/** Who reads too slowly is cut off, and may follow the turn from its begin again. */
function stream(turn: ListenedTurn): Reply {
  return Reply.stream((to) =>
    turn.listen((event) => {
      const isTaken = to.send('chat', event)
      if (!isTaken || event.type === 'done' || event.type === 'error') to.end()
    }),
  )
}

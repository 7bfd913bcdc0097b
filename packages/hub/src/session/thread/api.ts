import type { ChatEvent } from '@herma/contract'
import { threadOperations } from '@herma/contract/api'
import { Reply, type Route, serve } from '../../platform/http/index.ts'
import type { Threads } from './threads.ts'

/** A turn that can be listened to. */
export interface ListenedTurn {
  listen(listener: (event: ChatEvent) => void): () => void
}

export function threadApi(desk: Threads): Route[] {
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

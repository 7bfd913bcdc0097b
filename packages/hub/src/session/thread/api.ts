import type { ChatEvent } from '@herma/contract'
import { threadOperations } from '@herma/contract/api'
import { Reply, type Route, serve } from '../../platform/http/index.ts'
import type { Threads } from './threads.ts'

/** A turn that can be listened to. */
export interface ListenedTurn {
  listen(listener: (event: ChatEvent) => void): () => void
}

export function threadApi(threads: Threads): Route[] {
  return serve(threadOperations, {
    listThreads: ({ params, query, principal }) => threads.list(params.name, principal, query),
    sumThreads: async ({ principal }) => ({ sessions: await threads.totals(principal) }),
    addThread: ({ params, body, principal }) => threads.create(params.name, principal, body),
    getThread: ({ params, principal }) => threads.get(params.name, principal, params.thread),
    renameThread: ({ params, body, principal }) => threads.rename(params.name, principal, params.thread, body),
    removeThread: ({ params, principal }) => threads.remove(params.name, principal, params.thread),
    sayInThread: async ({ params, body, principal }) =>
      stream(await threads.say(params.name, principal, params.thread, body)),
    followThread: async ({ params, principal }) => {
      const turn = await threads.running(params.name, principal, params.thread)
      return turn === null ? new Reply(undefined, { status: 204 }) : stream(turn)
    },
    cancelTurn: ({ params, principal }) => threads.cancel(params.name, principal, params.thread),
    answerApproval: ({ params, body, principal }) => threads.answer(params.name, principal, params.approval, body),
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

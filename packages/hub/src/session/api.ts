import { sessionOperations } from '@herma/contract/api'
import { Reply, type Route, serve } from '../platform/http/index.ts'
import type { Sessions } from './sessions.ts'
import type { Bindings } from './binding/bindings.ts'
import type { SessionTester } from './health/test-session.ts'

/** Management of sessions and their bindings. */
export function sessionApi(sessions: Sessions, bindings: Bindings, tester: SessionTester): Route[] {
  return serve(sessionOperations, {
    listSessions: () => ({ sessions: sessions.list() }),
    addSession: async ({ body }) => {
      const session = await sessions.add(body)
      return new Reply(session, { headers: { location: `/api/sessions/${session.name}` } })
    },
    getSession: ({ params: { name } }) => sessions.get(name),
    updateSession: ({ params: { name }, body }) => sessions.update(name, body),
    removeSession: ({ params: { name } }) => sessions.remove(name),
    testSession: ({ params: { name } }) => tester.test(name),
    testSessionPath: ({ params: { name }, body }) => sessions.explainPath(name, body),
    listBindings: () => ({ bindings: bindings.list() }),
    listSessionBindings: ({ params: { name } }) => ({ bindings: bindings.listOf(name) }),
    putBinding: async ({ body }) => {
      const { view, isNew } = await bindings.put(body)
      return new Reply(view, { status: isNew ? 201 : 200 })
    },
    updateBinding: ({ params: { name, connector }, body }) => bindings.update(name, connector, body),
    removeBinding: ({ params: { name, connector } }) => bindings.remove(name, connector),
  })
}

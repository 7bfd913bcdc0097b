import type {
  BindingInput,
  BindingPatch,
  BindingView,
  PathQuestion,
  PathVerdict,
  SessionInput,
  SessionPatch,
  SessionTest,
  SessionView,
} from '@herma/contract'
import { sessionOperations } from '@herma/contract/api'
import { Reply, type Route, serve } from '../platform/http/index.ts'

/** Everything that people and programs may do with sessions. Unknown names throw SESSION_NOT_FOUND. */
export interface SessionService {
  list(): SessionView[]
  get(name: string): SessionView
  add(input: SessionInput): Promise<SessionView>
  update(name: string, patch: SessionPatch): Promise<SessionView>
  remove(name: string): Promise<void>
  test(name: string): Promise<SessionTest>
  explainPath(name: string, question: PathQuestion): Promise<PathVerdict>
}

/** And with what is attached to them. */
export interface BindingService {
  list(): BindingView[]
  listOf(session: string): BindingView[]
  put(input: BindingInput): Promise<{ view: BindingView; isNew: boolean }>
  update(session: string, connector: string, patch: BindingPatch): Promise<BindingView>
  remove(session: string, connector: string): Promise<void>
}

/** Management of sessions and their bindings. */
export function sessionApi(sessions: SessionService, bindings: BindingService): Route[] {
  return serve(sessionOperations, {
    listSessions: () => ({ sessions: sessions.list() }),
    addSession: async ({ body }) => {
      const session = await sessions.add(body)
      return new Reply(session, { headers: { location: `/api/sessions/${session.name}` } })
    },
    getSession: ({ params: { name } }) => sessions.get(name),
    updateSession: ({ params: { name }, body }) => sessions.update(name, body),
    removeSession: ({ params: { name } }) => sessions.remove(name),
    testSession: ({ params: { name } }) => sessions.test(name),
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

import {
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
import { z } from 'zod'
import { defineRoute, type Route } from '../platform/http/index.ts'

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

// A name that could not exist is looked up all the same, so that it answers like any other unknown name.
const params = z.object({ name: z.string().describe('Name of a session.') })
const place = params.extend({ connector: z.string().describe('Name of a connector.') })

/** Management of sessions and their bindings. */
export function sessionRoutes(sessions: SessionService, bindings: BindingService): Route[] {
  return [...storedSessionRoutes(sessions), ...trialRoutes(sessions), ...bindingRoutes(bindings)]
}

function storedSessionRoutes(sessions: SessionService): Route[] {
  return [
    defineRoute({
      id: 'listSessions',
      method: 'GET',
      path: '/api/sessions',
      summary: 'Every session with what it offers and how it is.',
      responses: { 200: { description: 'The sessions.', schema: z.object({ sessions: z.array(SessionView) }) } },
      handle: () => ({ status: 200, body: { sessions: sessions.list() } }),
    }),
    defineRoute({
      id: 'addSession',
      method: 'POST',
      path: '/api/sessions',
      summary: 'Stores a session and serves it at once.',
      body: SessionInput,
      responses: { 201: { description: 'The stored session.', schema: SessionView } },
      handle: async ({ body }) => {
        const session = await sessions.add(body)
        return { status: 201, body: session, headers: { location: `/api/sessions/${session.name}` } }
      },
    }),
    defineRoute({
      id: 'getSession',
      method: 'GET',
      path: '/api/sessions/:name',
      summary: 'One session.',
      params,
      responses: { 200: { description: 'The session.', schema: SessionView } },
      handle: ({ params: { name } }) => ({ status: 200, body: sessions.get(name) }),
    }),
    defineRoute({
      id: 'updateSession',
      method: 'PATCH',
      path: '/api/sessions/:name',
      summary: 'Changes the given fields; of tools, limits and paths those that are named. Threads and bindings stay.',
      params,
      body: SessionPatch,
      responses: { 200: { description: 'The changed session.', schema: SessionView } },
      handle: async ({ params: { name }, body }) => ({ status: 200, body: await sessions.update(name, body) }),
    }),
    defineRoute({
      id: 'removeSession',
      method: 'DELETE',
      path: '/api/sessions/:name',
      summary: 'Forgets a session with its threads and bindings. A member of a team is kept.',
      params,
      responses: { 204: { description: 'It is gone.' } },
      handle: async ({ params: { name } }) => {
        await sessions.remove(name)
        return { status: 204 }
      },
    }),
  ]
}

function trialRoutes(sessions: SessionService): Route[] {
  return [
    defineRoute({
      id: 'testSession',
      method: 'POST',
      path: '/api/sessions/:name/test',
      summary: 'Tries everything that a session needs, its provider with a tiny question.',
      params,
      responses: { 200: { description: 'Stages with what to do; ok tells the outcome.', schema: SessionTest } },
      handle: async ({ params: { name } }) => ({ status: 200, body: await sessions.test(name) }),
    }),
    defineRoute({
      id: 'testSessionPath',
      method: 'POST',
      path: '/api/sessions/:name/paths',
      summary: 'Whether a session may read or write a path, and why.',
      params,
      body: PathQuestion,
      responses: { 200: { description: 'The verdict.', schema: PathVerdict } },
      handle: async ({ params: { name }, body }) => ({ status: 200, body: await sessions.explainPath(name, body) }),
    }),
  ]
}

function bindingRoutes(bindings: BindingService): Route[] {
  const bindingList = z.object({ bindings: z.array(BindingView) })
  return [
    defineRoute({
      id: 'listBindings',
      method: 'GET',
      path: '/api/bindings',
      summary: 'Which connectors are attached to which sessions, with every value in effect and its source.',
      responses: { 200: { description: 'The bindings of all sessions.', schema: bindingList } },
      handle: () => ({ status: 200, body: { bindings: bindings.list() } }),
    }),
    defineRoute({
      id: 'listSessionBindings',
      method: 'GET',
      path: '/api/sessions/:name/bindings',
      summary: 'The connectors that are attached to one session.',
      params,
      responses: { 200: { description: 'The bindings of the session.', schema: bindingList } },
      handle: ({ params: { name } }) => ({ status: 200, body: { bindings: bindings.listOf(name) } }),
    }),
    defineRoute({
      id: 'putBinding',
      method: 'POST',
      path: '/api/bindings',
      summary:
        'Attaches a connector to a session, or replaces how it is. A secret without a value keeps the stored one.',
      body: BindingInput,
      responses: {
        200: { description: 'The replaced binding.', schema: BindingView },
        201: { description: 'The new binding.', schema: BindingView },
      },
      handle: async ({ body }) => {
        const { view, isNew } = await bindings.put(body)
        return { status: isNew ? 201 : 200, body: view }
      },
    }),
    defineRoute({
      id: 'updateBinding',
      method: 'PATCH',
      path: '/api/sessions/:name/bindings/:connector',
      summary: 'Changes the given fields. A secret without a value keeps the stored one.',
      params: place,
      body: BindingPatch,
      responses: { 200: { description: 'The changed binding.', schema: BindingView } },
      handle: async ({ params: { name, connector }, body }) => ({
        status: 200,
        body: await bindings.update(name, connector, body),
      }),
    }),
    defineRoute({
      id: 'removeBinding',
      method: 'DELETE',
      path: '/api/sessions/:name/bindings/:connector',
      summary: 'Takes a connector off a session.',
      params: place,
      responses: { 204: { description: 'It is gone.' } },
      handle: async ({ params: { name, connector } }) => {
        await bindings.remove(name, connector)
        return { status: 204 }
      },
    }),
  ]
}

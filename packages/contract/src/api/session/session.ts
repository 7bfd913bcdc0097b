import { z } from 'zod'

import { BindingInput, BindingPatch, BindingView } from '../../session/binding.ts'
import { PathQuestion, PathVerdict } from '../../session/path-test.ts'
import { SessionInput, SessionPatch, SessionTest, SessionView } from '../../session/session.ts'
import type { ApiOperation } from '../operation.ts'

const params = z.object({ name: z.string().describe('Name of a session.') })
const place = params.extend({ connector: z.string().describe('Name of a connector.') })
const bindingList = z.object({ bindings: z.array(BindingView) })

export const sessionOperations = {
  listSessions: {
    method: 'GET',
    path: '/api/sessions',
    summary: 'Every session with what it offers and how it is.',
    responses: { 200: { description: 'The sessions.', schema: z.object({ sessions: z.array(SessionView) }) } },
  },
  addSession: {
    method: 'POST',
    path: '/api/sessions',
    summary: 'Stores a session and serves it at once.',
    body: SessionInput,
    responses: { 201: { description: 'The stored session.', schema: SessionView } },
    errors: ['SESSION_EXISTS', 'SESSION_INVALID'],
  },
  getSession: {
    method: 'GET',
    path: '/api/sessions/:name',
    summary: 'One session.',
    params,
    responses: { 200: { description: 'The session.', schema: SessionView } },
    errors: ['SESSION_NOT_FOUND'],
  },
  updateSession: {
    method: 'PATCH',
    path: '/api/sessions/:name',
    summary: 'Changes the given fields; of tools, limits and paths those that are named. Threads and bindings stay.',
    params,
    body: SessionPatch,
    responses: { 200: { description: 'The changed session.', schema: SessionView } },
    errors: ['SESSION_NOT_FOUND', 'SESSION_EXISTS', 'SESSION_INVALID'],
  },
  removeSession: {
    method: 'DELETE',
    path: '/api/sessions/:name',
    summary: 'Forgets a session with its threads and bindings. A member of a team is kept.',
    params,
    responses: { 204: { description: 'It is gone.' } },
    errors: ['SESSION_NOT_FOUND', 'SESSION_IN_USE'],
  },
  testSession: {
    method: 'POST',
    path: '/api/sessions/:name/test',
    summary: 'Tries everything that a session needs, its provider with a tiny question.',
    params,
    responses: { 200: { description: 'Stages with what to do; ok tells the outcome.', schema: SessionTest } },
    errors: ['SESSION_NOT_FOUND'],
  },
  testSessionPath: {
    method: 'POST',
    path: '/api/sessions/:name/paths',
    summary: 'Whether a session may read or write a path, and why.',
    params,
    body: PathQuestion,
    responses: { 200: { description: 'The verdict.', schema: PathVerdict } },
    errors: ['SESSION_NOT_FOUND'],
  },
  listBindings: {
    method: 'GET',
    path: '/api/bindings',
    summary: 'Which connectors are attached to which sessions, with every value in effect and its source.',
    responses: { 200: { description: 'The bindings of all sessions.', schema: bindingList } },
  },
  listSessionBindings: {
    method: 'GET',
    path: '/api/sessions/:name/bindings',
    summary: 'The connectors that are attached to one session.',
    params,
    responses: { 200: { description: 'The bindings of the session.', schema: bindingList } },
    errors: ['SESSION_NOT_FOUND'],
  },
  putBinding: {
    method: 'POST',
    path: '/api/bindings',
    summary: 'Attaches a connector to a session, or replaces how it is. A secret without a value keeps the stored one.',
    body: BindingInput,
    responses: {
      200: { description: 'The replaced binding.', schema: BindingView },
      201: { description: 'The new binding.', schema: BindingView },
    },
    errors: ['SESSION_NOT_FOUND', 'CONNECTOR_NOT_FOUND', 'BINDING_INVALID'],
  },
  updateBinding: {
    method: 'PATCH',
    path: '/api/sessions/:name/bindings/:connector',
    summary: 'Changes the given fields. A secret without a value keeps the stored one.',
    params: place,
    body: BindingPatch,
    responses: { 200: { description: 'The changed binding.', schema: BindingView } },
    errors: ['SESSION_NOT_FOUND', 'BINDING_NOT_FOUND', 'BINDING_INVALID'],
  },
  removeBinding: {
    method: 'DELETE',
    path: '/api/sessions/:name/bindings/:connector',
    summary: 'Takes a connector off a session.',
    params: place,
    responses: { 204: { description: 'It is gone.' } },
    errors: ['SESSION_NOT_FOUND', 'BINDING_NOT_FOUND'],
  },
} as const satisfies Record<string, ApiOperation>

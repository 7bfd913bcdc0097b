import type { SessionInput, SessionPatch, SessionTest, SessionView } from '@herma/contract'
import { ask } from '../api/ask.ts'

const testTimeoutMs = 600_000

/** What a change of a session may concern. */
export const sessionTopics = ['sessions', 'servers', 'bindings', 'threads', 'secrets'] as const

export function sessionPath(name: string, rest = ''): string {
  return `/api/sessions/${encodeURIComponent(name)}${rest}`
}

export function addSession(body: SessionInput): Promise<SessionView> {
  return ask('/api/sessions', { method: 'POST', body })
}

export function patchSession(name: string, body: SessionPatch): Promise<SessionView> {
  return ask(sessionPath(name), { method: 'PATCH', body })
}

/** Tries all that a session needs; its model is asked a tiny question. */
export function testSession(name: string): Promise<SessionTest> {
  return ask(sessionPath(name, '/test'), { method: 'POST', timeoutMs: testTimeoutMs })
}

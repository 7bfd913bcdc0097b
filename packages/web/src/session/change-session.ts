import type { SessionTest } from '@herma/contract'
import { api } from '../api/client.ts'

const testTimeoutMs = 600_000

/** What a change of a session may concern. */
export const sessionTopics = ['sessions', 'servers', 'bindings', 'threads', 'secrets'] as const

/** Tries all that a session needs; its model is asked a tiny question. */
export function testSession(name: string): Promise<SessionTest> {
  return api.testSession({ name }, { timeoutMs: testTimeoutMs })
}

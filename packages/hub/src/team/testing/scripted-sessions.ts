import { randomUUID } from 'node:crypto'
import { Ability, HubError, type ErrorCode } from '@herma/contract'
import { operator, type WorkContext, type ToolResult } from '../../wire/index.ts'
import type { MemberSession, SessionWork, TeamSessions } from '../ports.ts'

/** Work that a session was given and that ends when the test says so. */
export interface GivenWork extends SessionWork {
  readonly session: string
  answer(structured?: Record<string, unknown>): void
  fail(code: ErrorCode, options?: { hadEffect?: boolean }): void
  readonly isOver: boolean
}

/** Sessions that do what a test says, and when. */
export class ScriptedSessions implements TeamSessions {
  readonly #facts = new Map<string, MemberSession>()
  readonly #effects = new WeakSet<Error>()
  /** All that was given to sessions, in this order. */
  readonly given: GivenWork[] = []
  /** Called with each; absent = the test ends it. */
  onWork: ((work: GivenWork) => void) | undefined

  add(name: string, changes: Partial<MemberSession> = {}): MemberSession {
    const health = { state: 'healthy', problem: null, latencyMs: null, failures: 0 } as const
    const facts: MemberSession = {
      id: randomUUID(),
      name,
      provider: 'openai',
      model: 'm',
      isEnabled: true,
      abilities: Ability.options,
      abilitiesInPlace: Ability.options,
      health: { ...health, lastErrorAt: null, lastUsedAt: null, running: 0 },
      ...changes,
    }
    this.#facts.set(facts.id, facts)
    return facts
  }

  change(name: string, changes: Partial<MemberSession>): void {
    const facts = this.byName(name)!
    this.#facts.set(facts.id, { ...facts, ...changes })
  }

  remove(name: string): void {
    this.#facts.delete(this.byName(name)!.id)
  }

  facts(id: string): MemberSession | undefined {
    return this.#facts.get(id)
  }

  byName(name: string): MemberSession | undefined {
    return [...this.#facts.values()].find((facts) => facts.name === name)
  }

  readonly hadEffect = (error: unknown): boolean => error instanceof Error && this.#effects.has(error)

  run(sessionId: string, work: SessionWork): Promise<ToolResult> {
    const { signal } = work.workContext
    return new Promise((resolve, reject) => {
      let isOver = false
      const end = (settle: () => void) => {
        isOver = true
        signal.removeEventListener('abort', onAbort)
        settle()
      }
      const onAbort = () => end(() => reject(new HubError('DOWNSTREAM_FAILED', 'The turn was cancelled.')))
      signal.addEventListener('abort', onAbort)
      const given: GivenWork = {
        ...work,
        session: this.facts(sessionId)!.name,
        get isOver() {
          return isOver
        },
        answer: (structured = { summary: 'done' }) =>
          end(() => resolve({ content: [{ type: 'text', text: 'done' }], structuredContent: structured })),
        fail: (code, { hadEffect = false } = {}) => {
          const error = new HubError(code, `It failed with ${code}.`)
          if (hadEffect) this.#effects.add(error)
          end(() => reject(error))
        },
      }
      this.given.push(given)
      this.onWork?.(given)
    })
  }
}

/** A work context of the operator that notes what it is told. */
export function scriptedWorkContext(changes: Partial<WorkContext> = {}): WorkContext & { readonly told: string[] } {
  const told: string[] = []
  return {
    principal: operator,
    caller: {
      principal: operator.id,
      server: 'alpha',
      era: 'modern',
      revision: '2026-07-28',
      clientInfo: undefined,
      capabilities: {},
      connectionId: null,
      logLevel: null,
    },
    isLocal: true,
    signal: new AbortController().signal,
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    path: { requestId: 'r', entries: [] },
    ask: null,
    progress: (_done, _total, message) => void told.push(message),
    partial: () => {},
    ...changes,
    told,
  }
}

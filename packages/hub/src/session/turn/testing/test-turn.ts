import type { FakeRequest, Reply, Script } from '../../../../../../test/fixtures/fake-llm/fake-llm.ts'
import type { AgentTool, Turn, TurnEvent, TurnMessage } from '../types.ts'

export const limits = { maxSteps: 5, maxTokens: 10_000, maxCostUsd: null, timeoutMs: 20_000, maxParallelTools: 4 }

/** A turn without tools, and what it tells. */
export function turnOf(more: Partial<Turn> = {}) {
  const events: TurnEvent[] = []
  const turn: Turn = {
    messages: [say('Go.')],
    instructions: 'Be brief.',
    tools: [],
    limits,
    retryDelayMs: 1,
    pricing: { inputPerMillion: 1, outputPerMillion: 10, cachedInputPerMillion: 0.1 },
    signal: new AbortController().signal,
    onEvent: (event) => events.push(event),
    ...more,
  }
  return { turn, events, of: (type: TurnEvent['type']) => events.filter((event) => event.type === type) }
}

export function say(text: string): TurnMessage {
  return { role: 'user', parts: [{ type: 'text', text }] }
}

const addSchema = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] }

/** `math.add`, unless it is said otherwise. */
export function adder(more: Partial<AgentTool> = {}): AgentTool {
  const run: AgentTool['run'] = ({ a, b }) => Promise.resolve({ text: String(Number(a) + Number(b)) })
  return { name: 'math.add', description: 'Adds.', inputSchema: addSchema, isReadOnly: true, run, ...more }
}

/** The replies in turn; the last one stays. */
export function inTurn(...replies: (Reply | ((request: FakeRequest) => Reply))[]): Script {
  let next = 0
  return (request) => {
    const reply = replies[Math.min(next++, replies.length - 1)]!
    return typeof reply === 'function' ? reply(request) : reply
  }
}

/** A call of `math.add` by the name that providers see. */
export const add = (a: unknown, b: unknown) => ({ name: 'math_add', arguments: { a, b } })

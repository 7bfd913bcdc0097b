import { say } from '../../turn/testing/test-turn.ts'
import type { WorkEvent, WorkRequest } from '../types.ts'
import type { FakeTool, WorkBench } from './start-bench.ts'

/** A piece of work that may write files, and what it tells. */
export function workRequest(bench: WorkBench, more: Partial<WorkRequest> = {}): WorkRequest & { told: WorkEvent[] } {
  const told: WorkEvent[] = []
  return {
    session: bench.session(),
    ability: 'code.generate',
    input: { text: 'Go.', fields: {} },
    messages: [say('Go.')],
    extraInstructions: '',
    workContext: bench.workContext(),
    place: {},
    needs: 'write',
    onEvent: (event) => told.push(event),
    ...more,
    told,
  }
}

/** Binds a server with one tool, which says that it was used unless told otherwise. */
export function addServer(
  bench: WorkBench,
  { connector, run, ...tool }: Partial<FakeTool['descriptor']> & { connector: string; run?: FakeTool['run'] },
): void {
  const descriptor = { name: 'tool', description: 'A tool.', inputSchema: { type: 'object' }, ...tool }
  bench.servers.set(connector, [{ descriptor, run: run ?? (() => ({ content: [{ type: 'text', text: 'used' }] })) }])
  bench.bindings.push({ connector, allowedTools: null })
}

/** A step of a model that writes a file. */
export function write(path: string, text: string) {
  return { toolCalls: [{ name: 'write_file', arguments: { path, text } }] }
}

export const done = { text: 'Done.' }

/** What the tools answered that the model heard of last. */
export function lastResults({ llm }: WorkBench): string[] {
  const { messages } = llm.requests.at(-1)!
  return messages.filter(({ role }) => role === 'tool').map(({ text }) => text)
}

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionInput, TeamInput } from '@herma/contract'
import { modernRevision } from '../../../packages/hub/src/wire/index.ts'
import type { Reply, Script } from '../../fixtures/fake-llm/fake-llm.ts'
import { startFakeLlm, type FakeLlm } from '../../fixtures/fake-llm/start-fake-llm.ts'
import { startAttackHub, type AttackHub, type Credential } from './start-attack-hub.ts'

/** A hub whose models and workspaces belong to the attacker. */
export interface AgentsHub extends AsyncDisposable {
  readonly hub: AttackHub
  readonly llm: FakeLlm
  /** A project that `node --test` can test. Beside it lies what nobody may reach. */
  readonly workspace: string
  readonly outside: string
  addSession(session: Partial<SessionInput> & { readonly name: string }): Promise<void>
  addTeam(team: TeamInput): Promise<void>
  /** Calls a tool of a served server as a modern client. */
  call(path: string, call: ToolCall): Promise<CallAnswer>
  /** A figure of the hub, all its labels together. */
  figure(name: string): Promise<number>
}

interface ToolCall {
  readonly tool: string
  readonly args?: Record<string, unknown>
  readonly meta?: Record<string, unknown>
  readonly as?: Credential
}

export interface CallAnswer {
  readonly status: number
  /** What came back, whole. */
  readonly text: string
  readonly isError: boolean
  readonly structured: Record<string, unknown>
}

export async function startAgentsHub(): Promise<AgentsHub> {
  const llm = await startFakeLlm()
  const hub = await startAttackHub()
  const folder = await mkdtemp(join(tmpdir(), 'herma-test-agents-'))
  const [workspace, outside] = [join(folder, 'project'), join(folder, 'outside')]
  for (const path of [workspace, outside]) await mkdir(path)
  await writeFile(join(workspace, 'package.json'), '{"name":"demo","type":"module","scripts":{"test":"node --test"}}')
  await succeed(hub, 'PUT', '/api/secrets/OPENAI_API_KEY', { value: providerKey })
  let id = 0
  return {
    hub,
    llm,
    workspace,
    outside,
    addSession: (session) =>
      succeed(hub, 'POST', '/api/sessions', {
        provider: 'openai',
        model: 'gpt-x',
        baseUrl: llm.baseUrl('openai'),
        workingDir: workspace,
        ...session,
      }),
    addTeam: (team) => succeed(hub, 'POST', '/api/teams', team),
    async call(path, { tool, args = {}, meta = {}, as = hub.operator }) {
      const params = { name: tool, arguments: args, _meta: { ...modernMeta, ...meta } }
      const headers = {
        ...as,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': modernRevision,
        'mcp-method': 'tools/call',
        'mcp-name': tool,
      }
      const body = { jsonrpc: '2.0', id: ++id, method: 'tools/call', params }
      const answer = await hub.ask(path, { method: 'POST', headers, body })
      return { ...readAnswer(answer.text), status: answer.status, text: answer.text }
    },
    async figure(name) {
      const { text } = await hub.ask('/metrics', { headers: hub.operator })
      const lines = text.split('\n').filter((line) => new RegExp(`^herma_${name}[{ ]`).test(line))
      return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
    },
    async [Symbol.asyncDispose]() {
      await hub.stop()
      await llm.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Looks like no key, so that only its value can give it away. */
export const providerKey = 'canary provider key 3f8a'

/** A model that makes these calls, and is done. */
export function calls(...toolCalls: NonNullable<Reply['toolCalls']>): Script {
  return ({ messages }) => (messages.at(-1)!.role === 'tool' ? { text: 'Done.' } : { toolCalls })
}

/** What the model was told of its calls, the last time. */
export function toldBy(llm: FakeLlm): string[] {
  const { messages } = llm.requests.at(-1)!
  return messages.filter(({ role }) => role === 'tool').map(({ text }) => text)
}

/** Calls the management API and throws when it refuses. */
export async function succeed(hub: AttackHub, method: string, path: string, body?: unknown): Promise<never> {
  const answer = await hub.api(method, path, body)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body as never
}

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': modernRevision,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'attacker', version: '1.0.0' },
}

/** The answer of a call, which stands alone or behind what was told before it. */
function readAnswer(text: string): Pick<CallAnswer, 'isError' | 'structured'> {
  const messages = text.startsWith('{') ? [text] : [...text.matchAll(/^data: ?(\{.*)$/gm)].map(([, data]) => data!)
  const last = messages.map((message) => JSON.parse(message) as Message).find(({ id }) => id !== undefined)
  const result = last?.result
  return { isError: result === undefined || result.isError === true, structured: result?.structuredContent ?? {} }
}

interface Message {
  readonly id?: unknown
  readonly result?: { readonly isError?: boolean; readonly structuredContent?: Record<string, unknown> }
}

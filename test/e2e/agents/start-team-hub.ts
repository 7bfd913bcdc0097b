import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionInput, TeamInput } from '@herma/contract'
import * as modern from '@modelcontextprotocol/client'
import { startFakeLlm, type FakeLlm } from '../../fixtures/fake-llm/start-fake-llm.ts'
import { startTestHub, type TestHub, type TestHubOptions } from '../start-test-hub.ts'

export type EraOfClient = 'legacy' | 'auto'

/** A hub with a fake LLM behind it and a folder to work in. */
export interface TeamHub extends AsyncDisposable {
  readonly hub: TestHub
  readonly llm: FakeLlm
  /** An empty project that `node --test` can test. */
  readonly workspace: string
  addSession(session: SessionInput): Promise<void>
  addTeam(team: TeamInput): Promise<void>
  /** A connected client of the v2 SDK at a served server. */
  connect(path: string, era: EraOfClient, capabilities?: object): Promise<modern.Client>
}

export interface TeamHubOptions extends TestHubOptions {
  /** A folder of a name that matters, such as one on a picture. It is made, and gone afterwards. */
  readonly workspace?: string
}

export async function startTeamHub(options: TeamHubOptions = {}): Promise<TeamHub> {
  const llm = await startFakeLlm()
  const hub = await startTestHub(options)
  const workspace = options.workspace ?? (await mkdtemp(join(tmpdir(), 'herma-test-team-')))
  await mkdir(workspace, { recursive: true })
  await mkdir(join(workspace, 'src'))
  await writeFile(join(workspace, 'package.json'), '{"name":"demo","type":"module","scripts":{"test":"node --test"}}')
  const clients: modern.Client[] = []
  for (const name of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY'])
    await succeed(hub, 'PUT', `/api/secrets/${name}`, { value: `sk-test-${name.toLowerCase()}` })
  return {
    hub,
    llm,
    workspace,
    addSession: (session) => succeed(hub, 'POST', '/api/sessions', { workingDir: workspace, ...session }),
    addTeam: (team) => succeed(hub, 'POST', '/api/teams', team),
    async connect(path, mode, capabilities = {}) {
      const client = new modern.Client(
        { name: 'test-team', version: '1.0.0' },
        { versionNegotiation: { mode }, capabilities },
      )
      clients.push(client)
      await client.connect(new modern.StreamableHTTPClientTransport(new URL(path, hub.url)))
      return client
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(clients.map((client) => client.close()))
      await hub.stop()
      await llm.stop()
      await rm(workspace, { recursive: true, force: true })
    },
  }
}

/** Calls the management API and throws when it refuses. */
export async function succeed<T = never>(hub: TestHub, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await hub.api(method, path, body)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body as T
}

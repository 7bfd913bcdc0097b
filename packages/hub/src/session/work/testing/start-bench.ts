import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SessionInput, type SessionInput as Input } from '@herma/contract'
import { startFakeLlm, type FakeLlm } from '../../../../../../test/fixtures/fake-llm/start-fake-llm.ts'
import { Events, type HubEvent } from '../../../platform/events.ts'
import { startProcessWatchdog } from '../../../platform/process/process-watchdog.ts'
import { createLog } from '../../../platform/log.ts'
import { operator, type Answer, type WorkContext, type Question, type ToolResult } from '../../../wire/index.ts'
import { openWorkspaces } from '../../../workspace/index.ts'
import type { PortCall, ToolDescriptor } from '../../ports.ts'
import { SessionHealthRegistry } from '../../health/session-health.ts'
import type { StoredSession } from '../../store.ts'
import type { WorkBinding, WorkEnvironment } from '../work-environment.ts'
import { TurnQueue } from '../turn-queue.ts'
import { WorkFigures } from '../work-figures.ts'

/** A tool of a server that plays along. */
export interface FakeTool {
  readonly descriptor: ToolDescriptor
  run(call: PortCall): ToolResult | Promise<ToolResult>
}

/** Everything that a session works with: a fake model, a real folder, servers that do what a test says. */
export interface WorkBench extends AsyncDisposable {
  readonly llm: FakeLlm
  readonly outside: WorkEnvironment
  readonly folder: string
  readonly events: HubEvent[]
  readonly health: SessionHealthRegistry
  /** By connector. */
  readonly servers: Map<string, readonly FakeTool[]>
  readonly bindings: WorkBinding[]
  session(fields?: Partial<Input>): StoredSession
  workContext(fields?: Partial<WorkContext>): WorkContext
  write(files: Readonly<Record<string, string>>): Promise<void>
  read(path: string): Promise<string | null>
}

export async function startBench(): Promise<WorkBench> {
  const home = await mkdtemp(join(tmpdir(), 'herma-work-'))
  const folder = join(home, 'project')
  await mkdir(folder)
  const llm = await startFakeLlm()
  const events = new Events()
  const seen: HubEvent[] = []
  events.listen((event) => seen.push(event))
  const log = createLog('silent')
  const watchdog = startProcessWatchdog()
  const workspaces = await openWorkspaces({ stateHome: join(home, 'state'), log })
  const servers: WorkBench['servers'] = new Map()
  const bindings: WorkBinding[] = []
  const health = new SessionHealthRegistry()
  const find = (connector: string, tool: string) =>
    servers.get(connector)?.find(({ descriptor }) => descriptor.name === tool)
  const outside: WorkEnvironment = {
    tools: {
      boundTools: async ({ connector }) => {
        const tools = servers.get(connector)
        if (tools === undefined) throw new Error(`'${connector}' did not start.`)
        return tools.map(({ descriptor }) => descriptor)
      },
      callBound: async ({ connector }, call) => await find(connector, call.tool)!.run(call),
      catalogTools: () => (servers.get('catalog') ?? []).map(({ descriptor }) => descriptor),
      callCatalog: async (call) => await find('catalog', call.tool)!.run(call),
      routeOf: () => 'mcp:stdio',
    },
    bindingsOf: () => bindings,
    secrets: { valueOf: (name) => (name === 'OPENAI_API_KEY' ? 'sk-test' : undefined), resolve: (text) => text },
    workspaces,
    fetch: globalThis.fetch,
    machine: {
      watchdog,
      log,
      environment: process.env,
      testFolder: join(home, 'tests'),
      copyFolder: join(home, 'copies'),
    },
    events,
    health,
    turns: new TurnQueue(),
    figures: new WorkFigures(),
  }
  return {
    llm,
    outside,
    folder,
    events: seen,
    health,
    servers,
    bindings,
    session: (fields = {}) => toSession({ baseUrl: llm.baseUrl('openai'), workingDir: folder, ...fields }),
    workContext: createWorkContext,
    async write(files) {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, path)), { recursive: true })
        await writeFile(join(folder, path), text)
      }
    },
    read: (path) => readFile(join(folder, path), 'utf8').catch(() => null),
    async [Symbol.asyncDispose]() {
      await llm.stop()
      await workspaces.stop()
      watchdog.stop()
      await rm(home, { recursive: true, force: true })
    },
  }
}

function toSession(fields: Partial<Input>): StoredSession {
  const session = SessionInput.parse({ name: 'ada', provider: 'openai', model: 'gpt-test', ...fields })
  return { ...session, id: 'session-1', position: 1, createdAt: new Date(), updatedAt: new Date(), problem: null }
}

function createWorkContext(fields: Partial<WorkContext> = {}): WorkContext {
  return {
    principal: operator,
    caller: {
      principal: operator.id,
      server: 'session:ada',
      era: 'modern',
      revision: '2026-07-28',
      clientInfo: undefined,
      capabilities: {},
      connectionId: null,
      logLevel: null,
    },
    isLocal: true,
    signal: new AbortController().signal,
    traceId: '0'.repeat(31) + '1',
    spanId: '0'.repeat(15) + '1',
    path: { requestId: 'request-1', entries: [] },
    ask: null,
    progress: () => undefined,
    partial: () => undefined,
    ...fields,
  }
}

/** A client that answers every question with what a test says. */
export function askedClient(capabilities: Record<string, unknown>, answer: (question: Question) => Answer) {
  const base = createWorkContext()
  return createWorkContext({
    caller: { ...base.caller, capabilities },
    ask: (question: Question) => Promise.resolve(answer(question)),
  })
}

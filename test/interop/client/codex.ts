import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findCodex } from '../agent/codex.ts'
import type { InteropClient, McpRequest, Outcome, Place, Session } from '../runner/client.ts'
import { parseExact, stringifyExact } from '../runner/exact-json.ts'
import type { Programs } from '../runner/programs.ts'

interface Answer {
  readonly result?: unknown
  readonly error?: Outcome['error']
}
interface Message extends Answer {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly name?: string; readonly status?: string; readonly error?: string }
}

const answerTimeoutMs = 30_000
const noSampling = 'It does not sample.'
const noRoots = 'It has no roots.'
/** Servers whose questions have the schema of a Pydantic model as it is. */
const pydanticForms = ['py1', 'fastmcp3', 'py2', 'py2-http', 'fastmcp4', 'fastmcp4-http']
const noTitles = 'It cancels a question whose schema has a title, hub or not.'
const noCommand = 'Its app server has no request for it.'

/** Codex without a model: its app server, which editors embed, calls tools on behalf of whoever asks it. */
export async function describeCodexClient(programs: Programs): Promise<InteropClient> {
  const packages = await programs.npm('codex')
  const program = await findCodex(packages)
  const stdio = ({ stdio: [command, ...args], env }: Place) =>
    `command = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n[mcp_servers.herma.env]\n${Object.entries(
      env,
    )
      .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
      .join('\n')}`
  return {
    name: 'Codex app server',
    version: await packages.version('@openai/codex'),
    cannot: {
      prompt: noCommand,
      completion: noCommand,
      samples: noSampling,
      'legacy server samples': noSampling,
      'samples in either era': noSampling,
      roots: noRoots,
      'roots in either era': noRoots,
    },
    cannotWith: (server) => (pydanticForms.includes(server) ? { asks: noTitles, 'asks in either era': noTitles } : {}),
    // It keeps tools without their order.
    shows: ({ method }, result) =>
      method === 'tools/list' ? { tools: sortByName((result as { tools: { name: string }[] }).tools) } : result,
    ways: [
      {
        name: 'legacy',
        era: 'legacy',
        open: (place) => openAppServer(program, place, 'http', `url = ${JSON.stringify(place.endpoint)}`),
      },
      { name: 'stdio', era: 'legacy', open: (place) => openAppServer(program, place, 'stdio', stdio(place)) },
    ],
  }
}

async function openAppServer(program: string, place: Place, name: string, server: string): Promise<Session> {
  const home = join(place.folder, `codex-app-server-${name}`)
  await mkdir(home)
  await writeFile(join(home, 'config.toml'), `[analytics]\nenabled = false\n[mcp_servers.herma]\n${server}\n`)
  const child = spawn(program, ['app-server'], {
    env: { ...place.env, CODEX_HOME: home },
    cwd: home,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const waiting = new Map<number, (message: Message) => void>()
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve())
    child.once('close', () => resolve())
  })
  // A server that is gone says so by its end.
  child.stdin.on('error', () => {})
  const write = (message: object) => child.stdin.write(`${stringifyExact(message)}\n`)
  const ready = createSignal()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = parseExact(line) as Message
    if (message.method === undefined) waiting.get(message.id ?? 0)?.(message)
    else if (message.method === 'mcpServer/elicitation/request') {
      write({ id: message.id, result: { action: 'accept', content: { name: place.answers.name }, _meta: null } })
    } else if (message.method === 'mcpServer/startupStatus/updated') {
      if (message.params?.status === 'ready') ready.resolve()
      if (message.params?.error) ready.reject(new Error(message.params.error))
    }
  })
  let lastId = 0
  const send = async (method: string, params: object): Promise<Answer> => {
    const id = ++lastId
    const answer = new Promise<Message>((resolve) => waiting.set(id, resolve))
    write({ id, method, params })
    return within(Promise.race([answer, ended.then(() => Promise.reject(new Error('Codex ended.')))]), method)
  }

  await send('initialize', { clientInfo: { name: 'interop', title: null, version: '1.0.0' } })
  write({ method: 'initialized' })
  const started = await send('thread/start', {})
  await within(ready.promise, 'the connection to the hub')
  const { thread } = started.result as { thread: { id: string } }
  return {
    request: (request) => translate(request, thread.id, send),
    async close() {
      child.stdin.end()
      child.kill()
      await ended
    },
  }
}

async function translate(
  { method, params }: McpRequest,
  threadId: string,
  send: (method: string, params: object) => Promise<Answer>,
): Promise<Outcome> {
  if (method === 'tools/list') {
    const { result } = await send('mcpServerStatus/list', { threadId })
    const { data } = result as { data: { tools: Record<string, { name: string }> }[] }
    return { result: { tools: sortByName(Object.values(data[0]?.tools ?? {})) } }
  }
  const server = { threadId, server: 'herma' }
  if (method === 'resources/read') {
    const { result, ...rest } = await send('mcpServer/resource/read', { ...server, uri: params['uri'] })
    // It notes whose resource this is beside what the server said.
    const { originCallId, ...shown } = result as { originCallId?: unknown }
    return { ...rest, result: shown }
  }
  return send('mcpServer/tool/call', { ...server, tool: params['name'], arguments: params['arguments'] })
}

function sortByName(tools: readonly { name: string }[]) {
  return tools.toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

async function within<Value>(work: Promise<Value>, what: string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`Codex did not answer to ${what}.`)), answerTimeoutMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** Node 20 has no Promise.withResolvers. */
function createSignal() {
  let resolve = () => {}
  let reject = (_error: Error) => {}
  const promise = new Promise<void>((onDone, onFail) => {
    resolve = onDone
    reject = onFail
  })
  // Whoever waits sees it.
  promise.catch(() => {})
  return { promise, resolve, reject }
}

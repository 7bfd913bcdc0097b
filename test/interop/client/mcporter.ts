import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { InteropClient, McpRequest, Outcome, Place, Way } from '../runner/client.ts'
import type { Programs } from '../runner/programs.ts'
import { runProgram } from '../runner/run-program.ts'

interface Target {
  /** How this way names the hub before a command, and in it. */
  readonly global: readonly string[]
  readonly list: readonly string[]
  readonly call: (tool: string) => readonly string[]
}

const noAnswers = 'It declares no capability to answer.'

/** mcporter: a process for each request, with the hub in its configuration file or named on the command line. */
export async function describeMcporter(programs: Programs): Promise<InteropClient> {
  const node = await programs.node()
  const { file, version } = await programs.npm('clients')
  const program = file('mcporter', 'dist/cli.js')
  const way = (name: string, target: (place: Place) => Promise<Target>, more: Pick<Way, 'cannot'> = {}): Way => ({
    name,
    era: 'legacy',
    ...more,
    async open(place) {
      const chosen = await target(place)
      const request = async (message: McpRequest): Promise<Outcome> => {
        const command = [node, program, ...chosen.global, ...commandOf(message, chosen)] as const
        const { code, stdout, stderr } = await runProgram(command, { env: place.env, cwd: place.folder })
        return readOutput(message, stdout, `It ended with ${code}.\n${stderr}`)
      }
      return { request, close: async () => {} }
    },
  })
  return {
    name: 'mcporter',
    version: await version('mcporter'),
    isOneShot: true,
    cannot: {
      prompt: 'It has no command for it.',
      completion: 'It has no command for it.',
      'legacy server asks': noAnswers,
      'modern server asks': noAnswers,
      'legacy server samples': noAnswers,
    },
    shows: ({ method }, result) => {
      // Of a result with structured content it shows nothing else.
      const { structuredContent } = result as { structuredContent?: unknown }
      return method === 'tools/call' && structuredContent !== undefined ? structuredContent : result
    },
    ways: [
      way('config', configured),
      way('URL', adHoc, { cannot: { resource: 'Its command for resources takes only configured servers.' } }),
      way('stdio', launched),
    ],
  }
}

function configured(place: Place): Promise<Target> {
  return configure(place, 'url', { url: place.endpoint })
}

function launched(place: Place): Promise<Target> {
  const [command, ...args] = place.stdio
  return configure(place, 'stdio', { command, args, env: place.env })
}

async function configure({ folder }: Place, name: string, herma: object): Promise<Target> {
  const file = join(folder, `mcporter-${name}.json`)
  await writeFile(file, JSON.stringify({ mcpServers: { herma }, imports: [] }))
  return { global: ['--config', file], list: ['herma'], call: (tool) => [`herma.${tool}`] }
}

async function adHoc({ endpoint }: Place): Promise<Target> {
  return {
    global: [],
    list: ['--allow-http', endpoint],
    call: (tool) => ['--allow-http', `${endpoint}.${tool}`],
  }
}

function commandOf({ method, params }: McpRequest, { list, call }: Target): string[] {
  const { name, uri, arguments: args } = params as { name: string; uri: string; arguments: object }
  switch (method) {
    case 'tools/list':
      return ['list', ...list, '--json']
    case 'tools/call':
      return ['call', ...call(name), '--args', JSON.stringify(args), '--output', 'json']
    case 'resources/read':
      return ['resource', 'herma', uri, '--json']
    default:
      throw new Error(`mcporter has no command for ${method}.`)
  }
}

/** It prints an error as an object with a sentence for people, in which the code stands. */
function readOutput({ method }: McpRequest, stdout: string, failure: string): Outcome {
  const shown = readJson(stdout) as { tools?: unknown; error?: unknown } | undefined
  if (shown === undefined) throw new Error(`${failure}\n${stdout}`)
  const code = typeof shown.error === 'string' ? /^MCP error (-\d+)/.exec(shown.error)?.[1] : undefined
  if (code !== undefined) return { error: { code: Number(code) } }
  if (method !== 'tools/list') return { result: shown }
  if (shown.tools === undefined) throw new Error(`${failure}\n${stdout}`)
  return { result: { tools: shown.tools } }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // It printed something for people instead.
    return undefined
  }
}

import type { InteropClient, McpRequest, Outcome, Place, Way } from '../runner/client.ts'
import type { Programs } from '../runner/programs.ts'
import { runProgram } from '../runner/run-program.ts'

const oneShot = 'It ends after one request and declares no capability to answer.'

/** MCP Inspector's CLI: a process for each request. */
export async function describeInspector(programs: Programs): Promise<InteropClient> {
  const node = await programs.node()
  const { file, version } = await programs.npm('clients')
  const program = file('@modelcontextprotocol/inspector', 'clients/launcher/build/index.js')
  const way = (name: string, era: Way['era'], target: (place: Place) => string[]): Way => ({
    name,
    era,
    open: async (place) => ({
      request: async (request) => {
        const options = [...methodOptions(request), '--protocol-era', era, '--format', 'json']
        const command = [node, program, '--cli', ...target(place), ...options] as const
        const env = { ...place.env, MCP_INSPECTOR_SECRET_STORE: 'memory' }
        const { code, stdout, stderr } = await runProgram(command, { env, cwd: place.folder })
        return readOutput(code, stdout, stderr)
      },
      close: async () => {},
    }),
  })
  const overHttp = ({ endpoint }: Place) => ['--server-url', endpoint, '--transport', 'http']
  const overStdio = ({ stdio, env }: Place) => [...stdio, ...variables(env), '--transport', 'stdio']
  return {
    name: 'Inspector CLI',
    version: await version('@modelcontextprotocol/inspector'),
    isOneShot: true,
    cannot: {
      'unknown tool': 'It looks the tool up in the list itself, and does not send the call.',
      completion: 'It has no method for it.',
      'legacy server asks': oneShot,
      'modern server asks': oneShot,
      'legacy server samples': oneShot,
    },
    ways: [way('legacy', 'legacy', overHttp), way('modern', 'modern', overHttp), way('stdio', 'legacy', overStdio)],
  }
}

/** A stdio server gets nothing of the environment but what is named. */
function variables(env: Place['env']): string[] {
  return Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
}

function methodOptions({ method, params }: McpRequest): string[] {
  const { name, uri, arguments: args = {} } = params as { name: string; uri: string; arguments?: object }
  switch (method) {
    case 'tools/call':
      return ['--method', method, '--tool-name', name, '--tool-args-json', JSON.stringify(args)]
    case 'resources/read':
      return ['--method', method, '--uri', uri]
    case 'prompts/get':
      return ['--method', method, '--prompt-name', name, '--prompt-args', ...pairs(args)]
    default:
      return ['--method', method]
  }
}

function pairs(args: object): string[] {
  return Object.entries(args).map(([key, value]) => `${key}=${String(value)}`)
}

/** It prints the result of a tool that reports an error too, and ends with 5. */
function readOutput(code: number | NodeJS.Signals, stdout: string, stderr: string): Outcome {
  if (stdout === '') throw new Error(`It ended with ${code} and printed no result.\n${stderr}`)
  return JSON.parse(stdout) as { result: unknown }
}

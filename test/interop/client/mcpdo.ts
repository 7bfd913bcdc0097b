import { mkdir } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { InteropClient, McpRequest, Place, Session } from '../runner/client.ts'
import type { Programs } from '../runner/programs.ts'
import { runProgram, type ProgramRun } from '../runner/run-program.ts'

type Run = (...args: string[]) => Promise<unknown>

/** MCP Inspector's connection CLI: a daemon keeps the connection, and each command is a request on it. */
export async function describeMcpdo(programs: Programs): Promise<InteropClient> {
  const node = await programs.node()
  const { file, version } = await programs.npm('clients')
  const program = file('@modelcontextprotocol/inspector', 'clients/mcpdo/build/mcp-bin.js')
  const open = async (place: Place, era: string): Promise<Session> => {
    const folder = join(place.folder, `mcpdo-${era}`)
    await mkdir(folder, { mode: 0o700 })
    const env = {
      ...place.env,
      MCP_INSPECTOR_SECRET_STORE: 'memory',
      // A daemon of its own: the person may have one.
      MCP_INSPECTOR_DAEMON_DIR: folder,
      MCP_INSPECTOR_DAEMON_TOKEN: randomBytes(32).toString('base64url'),
    }
    const { run, stop } = startDaemon((args) => runProgram([node, program, ...args], { env, cwd: place.folder }))
    place.defer(stop)
    const connected = await run('connect', place.endpoint, '--era', era, '--connection', 'herma', '--format', 'json')
    const { protocolEra } = connected as { protocolEra: string }
    if (protocolEra !== era) throw new Error(`It speaks ${protocolEra} and not ${era}.`)
    return {
      request: async (request) => ({
        result: await answerQuestions(run, place.answers.name, await run(...commandOf(request))),
      }),
      close: stop,
    }
  }
  return {
    name: 'mcpdo',
    version: await version('@modelcontextprotocol/inspector'),
    isOneShot: true,
    cannot: {
      'unknown tool': 'It looks the tool up in the list itself, and does not send the call.',
      'legacy server samples': 'It does not sample.',
    },
    shows: ({ method }, result) =>
      method === 'completion/complete' ? (result as { completion: unknown }).completion : result,
    ways: (['legacy', 'modern'] as const).map((era) => ({ name: era, era, open: (place) => open(place, era) })),
  }
}

/** Every command starts the daemon when there is none, so after the last one nothing may run but its stop. */
function startDaemon(runCommand: (args: string[]) => Promise<ProgramRun>): { run: Run; stop: () => Promise<unknown> } {
  let running: Promise<unknown> = Promise.resolve()
  let stopped: Promise<unknown> | undefined
  const run: Run = async (...args) => {
    if (stopped) throw new Error('mcpdo was stopped.')
    const command = runCommand(args)
    // Its failure is for whoever runs it.
    running = command.catch(() => {})
    const { code, stdout, stderr } = await command
    if (stdout === '') throw new Error(`It ended with ${code} and printed no result.\n${stderr}`)
    return JSON.parse(stdout) as unknown
  }
  const stop = () => (stopped ??= running.then(() => runCommand(['daemon', 'stop'])))
  return { run, stop }
}

function commandOf({ method, params }: McpRequest): string[] {
  const { name, uri, arguments: args = {} } = params as { name: string; uri: string; arguments?: object }
  const command = ['@herma', method, '--format', 'json']
  switch (method) {
    case 'tools/call':
      return [...command, name, '--tool-args-json', JSON.stringify(args)]
    case 'resources/read':
      return [...command, uri]
    case 'prompts/get':
      return [
        ...command,
        name,
        '--prompt-args',
        ...Object.entries(args).map(([key, value]) => `${key}=${String(value)}`),
      ]
    case 'completion/complete':
      return ['@herma', 'prompts/complete', '--format', 'json', ...completionOptions(params)]
    case 'tools/list':
      return command
  }
}

function completionOptions(params: McpRequest['params']): string[] {
  const { ref, argument } = params as { ref: { type: string; name: string }; argument: { name: string; value: string } }
  const reference = ['--complete-ref-type', ref.type, '--complete-ref', ref.name]
  return [...reference, '--complete-arg-name', argument.name, '--complete-arg-value', argument.value]
}

/** A server's question ends the command; the call goes on with the answer, until it has a result. */
async function answerQuestions(run: Run, name: string, shown: unknown): Promise<unknown> {
  const { elicitationPending: question } = shown as { elicitationPending?: { elicitationId: string } }
  if (question === undefined) return shown
  const next = await run('elicitation/respond', question.elicitationId, `name:=${name}`, '--format', 'json')
  return answerQuestions(run, name, next)
}

import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { CustomTool } from '@herma/contract'
import type { HiddenState } from '../../platform/hidden-state/hidden-state.ts'
import type { ProcessWatchdog } from '../../platform/process/process-watchdog.ts'
import type { Homes } from '../../platform/file/homes.ts'
import type { Log } from '../../platform/log.ts'
import { errorResult, type Arguments, type OwnTool, type ToolContext, type ToolResult } from '../core/own-tool.ts'
import { commandEnvironment, maxEnvironmentArgumentBytes } from './command-environment.ts'
import { expandHomes } from './expand-homes.ts'
import { explainStartFailure } from './explain-start-failure.ts'
import { findCustomToolProblems } from './find-custom-tool-problems.ts'
import { readOutcome } from './read-outcome.ts'
import { runCommand, type Command } from './run-command.ts'
import { findSchemaProblems } from './find-schema-problems.ts'
import { Turns } from './turns.ts'

/** What tools take for the state home is a folder of theirs in it. */
export interface CustomToolOptions extends Homes {
  readonly watchdog: ProcessWatchdog
  /** Absent where nothing is hidden, as in tests. */
  readonly hiddenState?: HiddenState | undefined
  readonly log: Log
  /** The hub's own; a command gets only a few harmless variables of it. */
  readonly environment: NodeJS.ProcessEnv
  /** Masks secrets in what goes into errors. */
  redact(text: string): string
}

/** Those that wait beyond this are refused at once: a model that asks so often does not read the answers. */
const maxWaiting = 64

/**
 * A command as a tool. No shell is involved, and what a client sends never becomes part of the command line, where it
 * could pass for an option: it goes to standard input, and into a variable when it is small.
 */
export function createCustomTool(tool: CustomTool & { readonly origin: string }, options: CustomToolOptions): OwnTool {
  const turns = new Turns(tool.maxConcurrency, maxWaiting)
  const problems = findCustomToolProblems(tool)
  const fail = (text: string) => errorResult(options.redact(text))

  const runNow = async (command: Command, signal: AbortSignal): Promise<ToolResult> => {
    // Where it cannot be made, whoever needs it says so better.
    await mkdir(options.stateHome, { recursive: true, mode: 0o700 }).catch(() => undefined)
    const launch = await toLaunch(tool, command, options).catch((error: Error) => error)
    if (launch instanceof Error) return fail(`'${tool.name}' was not run: ${launch.message}`)
    const outcome = await runCommand({ ...command, ...launch }, { ...options, signal })
    if (outcome.end.how !== 'not-started') return readOutcome(outcome, { tool, ...options })
    const reason = await explainStartFailure(command, tool.origin, outcome.end.error)
    return fail(`'${tool.name}' did not start: ${reason}`)
  }

  return {
    name: tool.name,
    origin: tool.origin,
    tags: tool.tags ?? [],
    descriptor: describe(tool),
    async run(args: Arguments, { signal }: ToolContext) {
      const [problem] = problems
      if (problem !== undefined) {
        const place = problem.path.join('.')
        return fail(`'${tool.name}' cannot run: ${problem.message} See ${place} of the tool in ${tool.origin}.`)
      }
      const input = JSON.stringify(args)
      const refusal = refuseArguments(tool, args, input)
      if (refusal !== undefined) return fail(`'${tool.name}' was not run: ${refusal}`)
      const turn = await turns.take(signal, tool.timeout * 1000)
      if (turn !== 'taken') return fail(`'${tool.name}' was not run: ${noTurn(tool)[turn]}`)
      try {
        return await runNow(toCommand(tool, input, options), signal)
      } finally {
        turns.release()
      }
    },
  }
}

function describe(tool: CustomTool): Record<string, unknown> {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: { type: 'object', ...inputSchema },
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations }),
  }
}

function refuseArguments(tool: CustomTool, args: Arguments, input: string): string | undefined {
  const problems = findSchemaProblems(tool.inputSchema, args)
  if (problems.length > 0) return `${problems.join('; ')}. Correct the arguments and call again.`
  const bytes = Buffer.byteLength(input)
  if (tool.inputMode === 'json' || bytes <= maxEnvironmentArgumentBytes) return undefined
  return (
    `the arguments have ${bytes} bytes, and without standard input only ${maxEnvironmentArgumentBytes} reach it. ` +
    'Send less, or set "inputMode" to "json".'
  )
}

function noTurn(tool: CustomTool) {
  const busy = `${tool.maxConcurrency} of it already run ("maxConcurrency")`
  return {
    full: `${busy} and ${maxWaiting} wait. Try again later.`,
    late: `${busy}, and none ended within ${tool.timeout} s. Try again later.`,
    cancelled: 'the call was cancelled.',
  }
}

function toCommand(tool: CustomTool, input: string, options: CustomToolOptions): Command {
  const expand = (text: string) => expandHomes(text, options)
  return {
    file: expand(tool.command),
    args: tool.args.map(expand),
    cwd: resolve(options.configHome, expand(tool.cwd ?? '.')),
    env: commandEnvironment(tool, input, options),
    // A line break at the end, so that a script may read it as a line.
    input: tool.inputMode === 'json' ? `${input}\n` : null,
    timeoutMs: tool.timeout * 1000,
    maxOutputBytes: tool.maxOutputBytes,
  }
}

/** The command as it is started: with the state of the hub out of its sight, but for the folder of the tools. */
async function toLaunch(
  { isolation, origin }: CustomTool & { readonly origin: string },
  { file, args, cwd, env }: Command,
  { hiddenState, stateHome }: CustomToolOptions,
): Promise<Pick<Command, 'file' | 'args' | 'cwd' | 'env'>> {
  if (isolation === 'none' || hiddenState === undefined) return { file, args, cwd, env }
  const refuse = (problem: string) =>
    new Error(
      `it ${problem}. Choose another place, or show it all of the state: set "isolation" to "none" in ${origin}.`,
    )
  const { command, ...launch } = await hiddenState.launch({
    command: file,
    args,
    env,
    workingDir: cwd,
    shown: [stateHome],
    refuse,
  })
  return { file: command, ...launch }
}

import { mkdir, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { HubError } from '@herma/contract'
import { removeTree, type Stage, type WorkingCopy } from '../../../workspace/index.ts'
import { runCommandTurn, type CommandTurn } from '../../provider/agent/run-command-turn.ts'
import { readStructured, withSchema } from '../../turn/read-structured.ts'
import type { TurnMessage, TurnResult } from '../../turn/types.ts'
import { addUsage } from '../../turn/usage.ts'
import { requireGlobs } from '../tool/edit-tools.ts'
import { afterTurn } from '../had-effect.ts'
import { openCopy } from './open-copy.ts'
import type { WorkMachine, WorkEnvironment } from '../work-environment.ts'
import { instructionsFor, limitsOf } from './run-model.ts'
import type { TurnContext } from './run-staged.ts'
import type { WorkRequest } from '../types.ts'

/** A turn of a local agent CLI. It writes files itself, so it works in a copy, whose changes are staged afterwards. */
export async function runAgentCommand(
  request: WorkRequest,
  context: TurnContext,
  outside: WorkEnvironment,
): Promise<TurnResult> {
  const { machine } = outside
  const { workspace, stage } = context
  if (workspace === null) return await runAgent(request, await openEmpty(machine, context), outside)
  const copy = await openCopy(workspace, machine, request.workContext.signal)
  context.atEnd(() => copy.dispose())
  const turn = await runAgent(request, copy.path, outside)
  if (stage === null || turn.finish !== 'stop') return turn
  try {
    await stageChanges(copy, stage, request)
    return turn
  } catch (error) {
    throw afterTurn(error, turn)
  }
}

/** A folder of its own, for work that needs none. */
async function openEmpty({ copyFolder }: WorkMachine, { atEnd }: TurnContext): Promise<string> {
  await mkdir(copyFolder, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(copyFolder, 'empty-'))
  atEnd(() => removeTree(folder))
  return folder
}

/** Everything that differs in the copy; one file that may not be written refuses all of it. */
async function stageChanges(
  copy: WorkingCopy,
  stage: Stage,
  { writeGlobs, workContext, onEvent }: WorkRequest,
): Promise<void> {
  const requireWritable = requireGlobs(stage, writeGlobs)
  for await (const change of copy.changes(workContext.signal)) {
    const { path } = change
    if (change.kind === 'refused') {
      onEvent({ type: 'warning', text: `'${path}' is left out of the changes: ${change.because}.` })
      continue
    }
    await requireWritable(path)
    if (change.isStale) throw staleFile(path)
    if (change.kind === 'removed') await stage.remove(path)
    else await stage.write(path, change.bytes, { executable: change.isExecutable })
  }
}

function staleFile(path: string): HubError {
  const text = `Somebody else changed '${path}' while the agent worked. Nothing was applied. Ask again.`
  return new HubError('WORKSPACE_CONFLICT', text, { data: { paths: [path] } })
}

/** Lets it answer; one that was to write JSON and did not is told so once. */
async function runAgent(request: WorkRequest, cwd: string, outside: WorkEnvironment): Promise<TurnResult> {
  const { responseSchema: schema } = request
  const turn = toCommandTurn(request, cwd, outside)
  const first = await runCommandTurn(turn, outside.machine)
  if (schema === undefined || first.finish !== 'stop') return first
  const answer = readStructured(first.text, schema)
  if ('value' in answer) return { ...first, structured: answer.value }
  const prompt = `${turn.prompt}\n\nYou answered:\n${first.text}\n\nThat does not follow the schema: ${answer.problem}. Answer again with nothing but the JSON.`
  const second = await runCommandTurn({ ...turn, prompt }, outside.machine)
  const mended = readStructured(second.text, schema)
  return {
    ...second,
    usage: addUsage(first.usage, second.usage),
    costUsd: first.costUsd === null || second.costUsd === null ? null : first.costUsd + second.costUsd,
    steps: first.steps + second.steps,
    toolCalls: first.toolCalls + second.toolCalls,
    ...('value' in mended && { structured: mended.value }),
  }
}

function toCommandTurn(request: WorkRequest, cwd: string, { secrets }: WorkEnvironment): CommandTurn {
  const { session, workContext, thread, responseSchema } = request
  const { command } = session
  if (command === null) {
    const text = `'${session.name}' has no command. Set one: herma session edit ${session.name}`
    throw new HubError('SESSION_UNREADY', text)
  }
  const env = Object.entries(command.env).map(([name, value]) => [name, secrets.resolve(value)] as const)
  return {
    dialect: command.dialect,
    command: command.cmd,
    args: command.args,
    env: Object.fromEntries(env),
    cwd,
    model: session.model,
    sessionId: session.name,
    threadId: thread ?? workContext.traceId,
    prompt: toPrompt(request.messages),
    instructions: withSchema(instructionsFor(request, cwd), responseSchema),
    limits: limitsOf(request),
    pricing: session.pricing,
    signal: workContext.signal,
    onEvent: (event) => request.onEvent(event),
  }
}

/** A command hears one text; what was said before stands in front of the last message. */
function toPrompt(messages: readonly TurnMessage[]): string {
  const texts = messages.map(({ role, parts }) => ({
    role,
    text: parts.map((part) => ('text' in part && part.type !== 'reasoning' ? part.text : '')).join(''),
  }))
  const last = texts.at(-1)?.text ?? ''
  const before = texts.slice(0, -1).filter(({ text }) => text !== '')
  if (before.length === 0) return last
  const talk = before.map(({ role, text }) => `${role === 'user' ? 'User' : 'You'}: ${text}`).join('\n\n')
  return `This was said before:\n\n${talk}\n\nNow the user says:\n\n${last}`
}

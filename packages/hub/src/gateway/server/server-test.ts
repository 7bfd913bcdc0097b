import {
  HubError,
  ServerHealth,
  type Principal,
  type ServerTestRequest,
  type ServerView,
  type TestReport,
} from '@herma/contract'
import { StageRun } from '../../downstream/index.ts'
import { isObject, metaKeys, sessionOf } from '../../wire/index.ts'
import { listOwnTools, mirrorArguments, requireResult } from '../tool/list-own-tools.ts'
import type { OwnAnswer, OwnClient } from '../tool/own-client.ts'

export interface ServerTestOptions {
  readonly client: Pick<OwnClient, 'request' | 'read'>
  /** Tools that it lists and nobody would answer now. */
  unanswered(server: string): readonly string[]
  /** Masks the secrets that the hub knows. */
  redactValue(value: unknown): unknown
}

export interface ServerTestQuestion {
  readonly server: ServerView
  readonly principal: Principal
  readonly request: ServerTestRequest
}

type Fields = Record<string, unknown>

/** Uses a served server as a client of this principal would, over HTTP, and says what that one would see. */
export async function testServer(question: ServerTestQuestion, options: ServerTestOptions): Promise<TestReport> {
  const { server, principal, request } = question
  const redact = (text: string) => String(options.redactValue(text))
  const run = new StageRun(redact)
  const seen: { initialize: unknown; tools: Fields[]; call?: unknown; traceId?: string } = {
    initialize: null,
    tools: [],
  }
  const send = (method: string, params: Fields = {}, headers: Record<string, string> = {}) =>
    options.client.request(principal, { path: server.path, method, params, headers })
  let cause: string | null = null
  try {
    await run.stage('resolve', async () => `'${server.name}' is at ${server.path}`)
    await run.stage('start', async () => describeHealth(await options.client.read(principal, server.healthPath)))
    await run.stage('handshake', async () => {
      const result = requireResult(await send('server/discover'))
      seen.initialize = result
      return describeServer(result)
    })
    await run.stage('list', async () => {
      seen.tools = await listOwnTools(options.client, principal, server.path)
      return describeTools(seen.tools.length, options.unanswered(server.name))
    })
    const { tool } = request
    if (tool !== undefined) await run.stage('call', () => callTool({ ...request, tool }, { send, seen, server }))
  } catch (error) {
    run.skipRest(request.tool === undefined ? ['call'] : [])
    cause = redact(error instanceof Error ? error.message : String(error))
  }
  const { initialize, tools, ...called } = options.redactValue(seen) as typeof seen
  const fix = cause === null ? null : suggestFix(server, run.failed)
  return { ok: cause === null, stages: run.stages, cause, fix, stderr: [], initialize, tools, ...called }
}

interface CallOptions {
  readonly server: ServerView
  readonly seen: { readonly tools: readonly Fields[]; call?: unknown; traceId?: string }
  send(method: string, params: Fields, headers: Record<string, string>): Promise<OwnAnswer>
}

/** Returns what came of it in one line. */
async function callTool(
  request: ServerTestRequest & { tool: string },
  { server, seen, send }: CallOptions,
): Promise<string> {
  const { tool, cwd } = request
  const descriptor = seen.tools.find(({ name }) => name === tool)
  const takesCwd = cwd !== undefined && takes(descriptor, 'cwd')
  const args = { ...request.arguments, ...(takesCwd && { cwd }) }
  const headers = mirrorArguments(descriptor, args)
  const answer = await send('tools/call', { name: tool, arguments: args }, headers)
  // The hub's own server is none of those whose calls are recorded.
  if (server.kind !== 'management') seen.traceId = answer.traceId
  const result = requireResult(answer)
  seen.call = result
  if (result['resultType'] === 'input_required')
    throw new HubError('CAPABILITY_MISSING', `${tool} asks for more input, which a test cannot give.`)
  if (result['isError'] === true) throw new HubError('DOWNSTREAM_FAILED', `${tool} failed: ${textOf(result)}`)
  return `${textOf(result)}${cwd !== undefined && !takesCwd ? ` (${tool} takes no cwd)` : ''}`
}

function describeHealth(answer: unknown): string {
  const health = ServerHealth.safeParse(answer)
  // Who is not let in gets an error in place of it, and the handshake says why.
  if (!health.success) return 'the listener answers'
  const { state, problem } = health.data
  if (state === 'disabled') throw new HubError('SERVER_DISABLED', problem ?? 'It is disabled.')
  // It may be well again: that is what the rest of the test finds out.
  return `it is ${state}${problem === null ? '' : `: ${problem}`}`
}

function describeServer(result: Fields): string {
  const meta = isObject(result['_meta']) ? result['_meta'] : {}
  const serverInfo = meta[metaKeys.serverInfo]
  const { name, version } = isObject(serverInfo) ? serverInfo : {}
  return `${[name ?? 'the server', version].filter((word) => typeof word === 'string').join(' ')} answers`
}

function describeTools(count: number, unanswered: readonly string[]): string {
  return `${count} tools${unanswered.length === 0 ? '' : `; nobody would answer ${unanswered.join(', ')} now`}`
}

function takes(descriptor: Fields | undefined, argument: string): boolean {
  const schema = descriptor?.['inputSchema']
  return isObject(schema) && isObject(schema['properties']) && Object.hasOwn(schema['properties'], argument)
}

function textOf(result: Fields): string {
  const content = Array.isArray(result['content']) ? result['content'].filter(isObject) : []
  const texts = content.flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
  return texts.length > 0 ? texts.join('\n') : JSON.stringify(result)
}

function suggestFix({ name, kind }: ServerView, stage: StageRun['failed']): string {
  const own = kind === 'team' || kind === 'session' ? `herma ${kind} show ${sessionOf(name) ?? name}` : null
  if (stage === 'start') return `See what it lacks: ${own ?? `herma server show ${name}`}`
  if (stage === 'handshake' || stage === 'list')
    return `See what you may do there: herma policy explain. And how it is: ${own ?? `herma server show ${name}`}`
  return `Check the name of the tool and its arguments, or what happened: herma traces list --server ${name}`
}

import { findParamHeaders, isObject, mirrorParams } from '../../../wire/index.ts'
import { listTools, pairHeaders } from '../../mcp/call-tool.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { requestMcp, RpcFailure } from '../../mcp/mcp-client.ts'

/** A recorded request that can be sent again. */
export interface ReplayEntry {
  readonly server: string
  readonly method: string
  readonly target: string | undefined
  readonly params: Record<string, unknown>
  /** What was answered then; absent when it was not recorded. */
  readonly result: unknown
  readonly error: unknown
}

/** Reads the requests of a replay file; those without a recorded body are left out. */
export function readReplay(text: string, where: string): ReplayEntry[] {
  const entries = entriesOf(parse(text, where))
  if (entries === null) throw new CliError(exitCodes.usage, `${where} is no HAR archive: it has no log.entries.`)
  const read = entries.flatMap(readEntry)
  if (read.length > 0) return read
  throw new CliError(
    exitCodes.usage,
    `${where} has no request whose body was recorded. Turn that on before the call: herma traces capture SERVER --level bodies`,
  )
}

function readEntry(entry: unknown): ReplayEntry[] {
  const request = isObject(entry) && isObject(entry['request']) ? entry['request'] : {}
  const response = isObject(entry) && isObject(entry['response']) ? entry['response'] : {}
  const noted = isObject(entry) && isObject(entry['_herma']) ? entry['_herma'] : {}
  const sent = message(isObject(request['postData']) ? request['postData']['text'] : undefined)
  const received = message(isObject(response['content']) ? response['content']['text'] : undefined)
  if (sent === null || typeof sent['method'] !== 'string') return []
  const params = isObject(sent['params']) ? sent['params'] : {}
  const target = [params['name'], params['uri']].find((each) => typeof each === 'string')
  return [
    {
      server: typeof noted['server'] === 'string' ? noted['server'] : 'facade',
      method: sent['method'],
      target,
      params,
      result: received?.['result'],
      error: received?.['error'],
    },
  ]
}

function entriesOf(value: unknown): unknown[] | null {
  const log = isObject(value) ? value['log'] : undefined
  return isObject(log) && Array.isArray(log['entries']) ? log['entries'] : null
}

function message(text: unknown): Record<string, unknown> | null {
  if (typeof text !== 'string') return null
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    // A body that was cut off cannot be sent again.
    return null
  }
}

function parse(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new CliError(exitCodes.usage, `${where} is no JSON: ${(cause as Error).message}`, { cause })
  }
}

/** Sends a recorded request as a client of today's revision; an error answer is an answer. */
export async function sendAgain(endpoint: URL, { method, params }: ReplayEntry): Promise<unknown> {
  // What the client of then said about itself is not what this one can do.
  const { _meta, ...own } = params
  try {
    return await requestMcp(endpoint, {
      method,
      params: own,
      headers: method === 'tools/call' ? await paramHeaders(endpoint, own) : {},
    })
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error
    return { error: { code: error.rpcCode, message: error.rpcMessage } }
  }
}

/** The specification obliges clients to mirror the parameters that a descriptor marks. */
async function paramHeaders(endpoint: URL, params: Record<string, unknown>): Promise<Record<string, string>> {
  const tools = await listTools(endpoint)
  const descriptor = tools.find(({ name }) => name === params['name'])
  const args = (params['arguments'] ?? {}) as Record<string, unknown>
  return pairHeaders(mirrorParams(findParamHeaders(descriptor?.['inputSchema']), args))
}

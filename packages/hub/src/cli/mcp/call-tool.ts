import { findParamHeaders, isObject, mirrorParams } from '../../wire/index.ts'
import { nearest } from '../flag/nearest.ts'
import { oneLine } from '../terminal/clean-text.ts'
import type { Cli } from '../terminal/cli.ts'
import { CliError, exitCodes } from '../terminal/exit-codes.ts'
import { formatBytes } from '../terminal/format-quantity.ts'
import { showProgress } from '../terminal/show-progress.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { requestMcp, RpcFailure } from './mcp-client.ts'

export interface CliToolCall {
  readonly tool: string
  readonly args: Record<string, unknown>
  readonly timeoutMs?: number
}

/** Calls a tool as a client of revision 2026-07-28 and shows its result and progress. */
export async function callToolAsClient(cli: Cli, endpoint: URL, call: CliToolCall): Promise<void> {
  const signal = call.timeoutMs === undefined ? undefined : AbortSignal.timeout(call.timeoutMs)
  const work = requestCall(cli, endpoint, call, signal)
  try {
    const result = await showProgress(cli.terminal, `Calling ${call.tool}`, work)
    showResult(cli, call.tool, result)
  } catch (error) {
    if (!signal?.aborted) throw error
    const message = `${call.tool} did not answer within ${(call.timeoutMs ?? 0) / 1000} s; the call is cancelled.`
    throw new CliError(exitCodes.downstreamFailed, message, { cause: error })
  }
}

async function requestCall(cli: Cli, endpoint: URL, { tool, args }: CliToolCall, signal?: AbortSignal) {
  const tools = await listTools(endpoint, signal)
  const descriptor = tools.find(({ name }) => name === tool)
  try {
    return await requestMcp(endpoint, {
      method: 'tools/call',
      params: { name: tool, arguments: args },
      // The specification obliges clients to mirror the parameters that a descriptor marks.
      headers: pairHeaders(mirrorParams(findParamHeaders(descriptor?.['inputSchema']), args)),
      signal,
      onNotification: (method, params) => noteProgress(cli, method, params),
    })
  } catch (error) {
    if (!(error instanceof RpcFailure) || descriptor !== undefined) throw error
    const near = nearest(
      tool,
      tools.map(({ name }) => String(name)),
    )
    const hint = near === undefined ? 'See: herma tools' : `Did you mean ${oneLine(near)}? All of them: herma tools`
    throw new CliError(exitCodes.notFound, `There is no tool '${tool}'. ${hint}`, {
      code: 'TOOL_NOT_FOUND',
      cause: error,
    })
  }
}

const pageLimit = 1000

/** All tools that the endpoint offers. */
export async function listTools(endpoint: URL, signal?: AbortSignal): Promise<Record<string, unknown>[]> {
  const tools: Record<string, unknown>[] = []
  let cursor: unknown
  for (let page = 0; page < pageLimit; page++) {
    const result = await requestMcp(endpoint, {
      method: 'tools/list',
      params: cursor === undefined ? {} : { cursor },
      signal,
    })
    if (Array.isArray(result['tools'])) tools.push(...result['tools'].filter(isObject))
    cursor = result['nextCursor']
    if (typeof cursor !== 'string') return tools
  }
  throw new CliError(exitCodes.failed, `The tool list does not end within ${pageLimit} pages.`)
}

function noteProgress({ terminal }: Cli, method: string, params: Record<string, unknown>): void {
  if (method !== 'notifications/progress') return
  const { progress, total, message } = params
  const share = typeof total === 'number' && typeof progress === 'number' ? `${progress}/${total}` : String(progress)
  terminal.rewrite('')
  terminal.note(`${share}${typeof message === 'string' ? ` ${oneLine(message)}` : ''}`)
}

function showResult(cli: Cli, tool: string, result: Record<string, unknown>): void {
  const type = result['resultType'] ?? 'complete'
  if (type !== 'complete') {
    const reason = type === 'input_required' ? 'asks for more input' : `answers with a '${oneLine(String(type))}'`
    throw new CliError(exitCodes.failed, `${tool} ${reason}, which herma call cannot give. Call it from an MCP client.`)
  }
  if (result['isError'] === true) cli.exitCode = exitCodes.downstreamFailed
  if (cli.terminal.isMachine) cli.terminal.answer(result, () => '')
  else showToolResult(result, cli.terminal)
  if (result['isError'] === true) cli.terminal.note(`${tool} reports an error.`)
}

/** Names and values that follow each other, as headers. */
export function pairHeaders(flat: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let index = 0; index + 1 < flat.length; index += 2) headers[flat[index] ?? ''] = flat[index + 1] ?? ''
  return headers
}

/** Writes the text of a result to standard output, and notes on standard error what a terminal cannot show. */
export function showToolResult(result: Record<string, unknown>, terminal: Terminal): void {
  const content = Array.isArray(result['content']) ? result['content'].filter(isObject) : []
  for (const block of content) showBlock(block, terminal)
  // By rule the text repeats the structured content; without any text it would not be seen.
  if (content.length === 0 && result['structuredContent'] !== undefined) {
    terminal.printForeign(JSON.stringify(result['structuredContent'], null, 2))
  }
}

function showBlock(block: Record<string, unknown>, terminal: Terminal): void {
  const { type, text, data, mimeType, uri, resource } = block
  if (type === 'text' && typeof text === 'string') return terminal.printForeign(text)
  if (type === 'resource_link') return terminal.printForeign(String(uri))
  if (type === 'resource' && isObject(resource)) {
    if (typeof resource['text'] === 'string') return terminal.printForeign(resource['text'])
    return noteData(`resource ${String(resource['uri'])}`, resource['mimeType'], resource['blob'], terminal)
  }
  noteData(String(type), mimeType, data, terminal)
}

function noteData(what: string, mimeType: unknown, data: unknown, terminal: Terminal): void {
  const size = typeof data === 'string' ? formatBytes(Buffer.byteLength(data, 'base64')) : undefined
  const details = [mimeType, size].filter((detail) => typeof detail === 'string').join(', ')
  terminal.note(`[${what}${details === '' ? '' : `: ${details}`}; --json shows the data]`)
}

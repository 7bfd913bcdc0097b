import { findParamHeaders, mirrorParams } from '../../../wire/index.ts'
import { listTools, pairHeaders } from '../../call-tool.ts'
import { requestMcp, RpcFailure } from '../../mcp-client.ts'
import type { ReplayEntry } from './read-replay.ts'

/** Sends a recorded request as a client of today's revision; an error answer is an answer. */
export async function sendAgain(endpoint: URL, { method, target, params }: ReplayEntry): Promise<unknown> {
  // What the client of then said about itself is not what this one can do.
  const { _meta, ...own } = params
  try {
    return await requestMcp(endpoint, {
      method,
      ...(target === undefined ? {} : { name: target }),
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

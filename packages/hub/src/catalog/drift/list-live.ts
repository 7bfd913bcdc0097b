import { HubError } from '@herma/contract'
import { metaKeys, modernRevision } from '../../wire/index.ts'
import type { Descriptor } from '../core/catalog-source.ts'
import { observer } from './render-intended.ts'

const timeoutMs = 60_000
const maxPages = 10_000

/** Lists the tools through the endpoint that clients use, as one of them, page by page. */
export async function* listLive(endpoint: string): AsyncGenerator<Descriptor[]> {
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const result = await listPage(endpoint, cursor)
    yield result.tools
    if (result.nextCursor === undefined) return
    cursor = result.nextCursor
  }
}

async function listPage(
  endpoint: string,
  cursor: string | undefined,
): Promise<{ tools: Descriptor[]; nextCursor?: string }> {
  const _meta = {
    [metaKeys.revision]: modernRevision,
    [metaKeys.clientInfo]: { ...observer.clientInfo, version: '1' },
    [metaKeys.clientCapabilities]: {},
  }
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': modernRevision,
      'mcp-method': 'tools/list',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { ...(cursor && { cursor }), _meta } }),
    signal: AbortSignal.timeout(timeoutMs),
  })
  const body = (await response.json()) as {
    result?: { tools: Descriptor[]; nextCursor?: string }
    error?: { message: string }
  }
  if (body.result === undefined)
    throw new HubError('INTERNAL', `The endpoint did not list its tools: ${body.error?.message ?? response.status}`)
  return body.result
}

import { HubError, type Principal } from '@herma/contract'
import { findParamHeaders, isObject, mirrorParams } from '../../wire/index.ts'
import type { OwnAnswer, OwnClient } from './own-client.ts'

type Fields = Record<string, unknown>

const maxPages = 1000

/** All tools that a client of this principal is shown at a path of the hub. */
export async function listOwnTools(
  client: Pick<OwnClient, 'request'>,
  principal: Principal,
  path: string,
): Promise<Fields[]> {
  const tools: Fields[] = []
  let cursor: unknown
  for (let page = 0; page < maxPages; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const result = requireResult(await client.request(principal, { path, method: 'tools/list', params }))
    if (Array.isArray(result['tools'])) tools.push(...result['tools'].filter(isObject))
    cursor = result['nextCursor']
    if (typeof cursor !== 'string') return tools
  }
  throw new HubError('ANSWER_TOO_LARGE', `The list of tools does not end within ${maxPages} pages.`)
}

/** The headers of a call: the specification obliges clients to mirror the parameters that a descriptor marks. */
export function mirrorArguments(descriptor: Fields | undefined, args: Fields): Record<string, string> {
  const flat = mirrorParams(findParamHeaders(descriptor?.['inputSchema']), args)
  const headers: Record<string, string> = {}
  for (let index = 0; index + 1 < flat.length; index += 2) headers[flat[index]!] = flat[index + 1]!
  return headers
}

/** Throws what the server answered, when that is an error. */
export function requireResult({ result, error }: OwnAnswer): Fields {
  if (result !== null) return result
  throw new HubError('DOWNSTREAM_FAILED', error?.message ?? 'The server answered with no result.')
}

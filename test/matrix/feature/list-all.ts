import type { MatrixClient } from '../client/matrix-client.ts'
import type { Json } from '../wire-message.ts'

const maxPages = 100

/** All pages of a list. */
export async function listAll(client: MatrixClient, method: string, field: string): Promise<Json[]> {
  const all: Json[] = []
  let cursor: unknown
  for (let page = 0; page < maxPages; page++) {
    const result = await client.request(method, cursor === undefined ? {} : { cursor })
    all.push(...(result[field] as Json[]))
    cursor = result['nextCursor']
    if (cursor === undefined) return all
  }
  throw new Error(`${method} has more than ${maxPages} pages.`)
}

import type { RpcMessage } from '../wire/protocol.ts'

/** How the load client speaks: Streamable HTTP of either era, or HTTP+SSE for targets that know nothing newer. */
export type Dialect = 'legacy' | 'modern' | 'sse'

/** Where a target is reached. */
export type Endpoint =
  | { kind: 'http'; url: string; /** Sent with every request. */ key?: string }
  | { kind: 'stdio'; command: string; args: string[] }

/** The raw answer to one request; parsing is left to the check, which often needs none. */
export interface Reply {
  id: number
  body: Buffer
  isEventStream: boolean
}

/** An MCP client reduced to what a load needs. */
export interface McpClient {
  /** Whether several requests may be under way at once. */
  readonly canShare: boolean
  open(): Promise<void>
  request(method: string, params: Record<string, unknown>): Promise<Reply>
  close(): Promise<void>
}

/** The JSON-RPC messages of a reply, whether it came as JSON or as an event stream. */
export function readMessages(reply: Reply): RpcMessage[] {
  const text = reply.body.toString()
  if (!reply.isEventStream) return text.length > 0 ? [JSON.parse(text) as RpcMessage] : []
  return text
    .split(/\r?\n\r?\n/)
    .map(eventData)
    .filter((data) => data.length > 0)
    .map((data) => JSON.parse(data) as RpcMessage)
}

/** The data of one server-sent event. */
export function eventData(event: string): string {
  return event
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(line.startsWith('data: ') ? 6 : 5))
    .join('\n')
}

/** The result of a request, or an error that says what came instead. */
export async function requestResult(
  client: McpClient,
  method: string,
  params: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const reply = await client.request(method, params)
  const message = readMessages(reply).find((candidate) => candidate.id === reply.id)
  if (message?.result) return message.result
  throw new Error(`${method} got no result: ${JSON.stringify(message?.error) ?? reply.body.toString().slice(0, 200)}`)
}

/** The names of all tools, page by page. */
export async function listToolNames(client: McpClient): Promise<string[]> {
  const names: string[] = []
  let cursor: unknown
  for (let page = 0; page < 1000; page++) {
    const result = await requestResult(client, 'tools/list', cursor === undefined ? {} : { cursor })
    names.push(...(result.tools as { name: string }[]).map((tool) => tool.name))
    cursor = result.nextCursor
    if (cursor === undefined) return names
  }
  throw new Error('tools/list never ended: 1,000 pages and still a next cursor')
}

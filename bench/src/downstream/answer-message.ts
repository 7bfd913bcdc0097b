import { LEGACY_REVISION, LEGACY_REVISIONS, MODERN_REVISION, REVISION_KEY, type RpcMessage } from '../wire/protocol.ts'
import { makeTools, payloadText } from './test-tools.ts'

/** An answer in serialised pieces; the big ones are encoded once and shared by all answers. Null: nothing to say. */
export type Answer = (string | Buffer)[] | null

export const isModern = (message: RpcMessage) =>
  (message.params?._meta as Record<string, unknown> | undefined)?.[REVISION_KEY] !== undefined

/** Answers JSON-RPC for one test server, both eras, whatever the transport. */
export function makeAnswerer(toolCount: number): (message: RpcMessage) => Answer {
  const tools = makeTools(toolCount)
  const names = new Set(tools.map((tool) => tool.name))
  const toolsJson = Buffer.from(JSON.stringify(tools))
  const payloads = new Map<number, Buffer>()

  return (message) => {
    const { id, method } = message
    if (id === undefined) return null
    const complete = isModern(message) ? '"resultType":"complete",' : ''
    const open = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${complete}`
    switch (method) {
      case 'tools/call':
        return callTool(message, open)
      case 'tools/list':
        return [`${open}${complete && CACHE_HINTS}"tools":`, toolsJson, '}}']
      case 'initialize':
        return [open, `"protocolVersion":"${revisionFor(message)}","capabilities":{"tools":{}},"serverInfo":${INFO}}}`]
      case 'server/discover':
        return [
          open,
          CACHE_HINTS,
          // It speaks both eras and says so: a gateway need not translate for a client of either.
          `"supportedVersions":${JSON.stringify([MODERN_REVISION, ...LEGACY_REVISIONS])},"capabilities":{"tools":{}},`,
          SERVER_META,
        ]
      case 'ping':
        return [open.replace(/,$/, ''), '}}']
      default:
        return errorAnswer(id, -32601, `Method not found: ${method}`)
    }
  }

  function callTool(message: RpcMessage, open: string): Answer {
    const { name, arguments: given = {} } = message.params as { name: string; arguments?: Record<string, unknown> }
    const id = message.id as number
    if (!names.has(name)) return errorAnswer(id, -32602, `Unknown tool: ${name}`)
    if (name === 'payload') {
      const bytes = Number(given.bytes)
      if (!(bytes > 0 && bytes <= MAX_PAYLOAD_BYTES)) return errorAnswer(id, -32602, 'bytes must be 1 to 64 MiB')
      return [`${open}"content":[{"type":"text","text":`, payloadJson(bytes), '}]}}']
    }
    const text = name === 'echo' ? given.text : `ok ${name}`
    if (typeof text !== 'string') return errorAnswer(id, -32602, 'text must be a string')
    return [`${open}"content":[{"type":"text","text":${JSON.stringify(text)}}]}}`]
  }

  function payloadJson(bytes: number): Buffer {
    const known = payloads.get(bytes)
    if (known) return known
    const json = Buffer.from(JSON.stringify(payloadText(bytes)))
    if (payloads.size > 16) payloads.clear()
    payloads.set(bytes, json)
    return json
  }
}

export const errorAnswer = (id: string | number | null, code: number, message: string): Answer => [
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }),
]

const MAX_PAYLOAD_BYTES = 64 * 1024 * 1024
const CACHE_HINTS = '"ttlMs":0,"cacheScope":"private",'
const INFO = '{"name":"bench-downstream","version":"1.0.0"}'
const SERVER_META = `"_meta":{"io.modelcontextprotocol/serverInfo":${INFO}}}}`

const revisionFor = (message: RpcMessage) => {
  const wanted = message.params?.protocolVersion as string
  return LEGACY_REVISIONS.includes(wanted) ? wanted : LEGACY_REVISION
}

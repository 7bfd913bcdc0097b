import { payloadText } from '../downstream/test-tools.ts'
import { readMessages, type Reply } from './mcp-client.ts'

export type Operation = 'echo' | 'payload' | 'list'

/** Says what is wrong with an answer, or null. `sent` is the text that an echo must give back. */
export type AnswerCheck = (reply: Reply, sent: string) => string | null

export interface Expected {
  payloadBytes: number
  toolCount: number
}

/**
 * A check for every single answer of a load. It must be cheap, since it shares the machine with what is measured:
 * large answers are compared as bytes, and parsed only when the bytes are not the ones we know.
 */
export function makeCheck(operation: Operation, expected: Expected): AnswerCheck {
  switch (operation) {
    case 'echo':
      return (reply, sent) => checkText(reply, sent)
    case 'payload':
      return makePayloadCheck(expected.payloadBytes)
    case 'list':
      return makeListCheck(expected.toolCount)
  }
}

function checkText(reply: Reply, wanted: string): string | null {
  const message = readMessages(reply).find((candidate) => candidate.id === reply.id)
  if (!message) return `no message answers id ${reply.id}`
  if (message.error) return `error ${message.error.code}: ${message.error.message}`
  const content = message.result?.content as { text?: string }[] | undefined
  if (message.result?.isError) return `the tool reports an error: ${content?.[0]?.text}`
  return content?.[0]?.text === wanted ? null : `wrong text: ${JSON.stringify(content).slice(0, 120)}`
}

function makePayloadCheck(bytes: number): AnswerCheck {
  const text = payloadText(bytes)
  const json = Buffer.from(JSON.stringify(text))
  const start = json.subarray(0, 48)
  return (reply) => {
    const { body, id } = reply
    const at = body.indexOf(start)
    const end = at + json.length
    if (at >= 0 && body.length >= end && body.compare(json, 0, json.length, at, end) === 0) {
      const rest = body.toString('latin1', 0, at) + body.toString('latin1', end)
      if (new RegExp(`"id": ?${id}[,}]`).test(rest) && !/"isError": ?true|"error"/.test(rest)) return null
    }
    return checkText(reply, text)
  }
}

function makeListCheck(toolCount: number): AnswerCheck {
  let known: Buffer | undefined
  return (reply) => {
    const { body, id } = reply
    const rest = withoutId(reply)
    if (known && rest && known.length === rest.length && known.equals(rest)) return null
    const result = readMessages({ ...reply, body }).find((candidate) => candidate.id === id)?.result
    const tools = (result?.tools ?? []) as { name?: string; inputSchema?: object }[]
    if (result?.nextCursor !== undefined) return 'the list comes in pages, so one answer is not the whole list'
    const names = new Set(tools.filter((tool) => tool.inputSchema).map((tool) => tool.name))
    if (names.size !== toolCount) return `${names.size} tools instead of ${toolCount}`
    if (rest) known = Buffer.from(rest)
    return null
  }
}

/** The bytes of a JSON answer without its id, when the id stands first or last. */
function withoutId({ body, id, isEventStream }: Reply): Buffer | undefined {
  if (isEventStream) return undefined
  const first = `{"jsonrpc":"2.0","id":${id},`
  if (body.toString('latin1', 0, first.length) === first) return body.subarray(first.length)
  const last = `,"id":${id}}`
  if (body.toString('latin1', body.length - last.length) === last) return body.subarray(0, body.length - last.length)
  return undefined
}

import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import { content } from '../../component/content.ts'
import { describeIssues } from '../../schema/describe-issues.ts'
import type { Schema } from '../../schema/schema.ts'
import type { ApiAnswer } from './openapi-call.ts'

const maxErrorCharacters = 2000

/** What an API answered, as the result of a tool. */
export async function toResult(answer: ApiAnswer, schema: Schema | undefined): Promise<CallToolResult> {
  if (answer.status < 200 || answer.status > 299) return failure(answer)
  if (answer.bytes.length === 0) return withoutBody(answer, schema)
  if (!isJson(answer.mediaType)) return { content: [toContent(answer)], ...(schema !== undefined && { isError: true }) }
  const text = answer.bytes.toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return problem(answer, 'the answer says that it is JSON but cannot be read', text)
  }
  const checked = await schema?.['~standard'].validate(value)
  if (checked?.issues !== undefined) {
    return problem(answer, `the answer does not fit its schema. ${describeIssues(checked.issues)}`, text)
  }
  const isStructured = typeof value === 'object' && value !== null
  return { content: [content.text(text)], ...(isStructured && { structuredContent: value as Record<string, unknown> }) }
}

function failure({ label, status, bytes, mediaType, redact }: ApiAnswer): CallToolResult {
  const isText = isJson(mediaType) || mediaType.startsWith('text/') || mediaType === ''
  const body = isText ? redact(bytes.toString('utf8')) : ''
  const shown =
    body.length > maxErrorCharacters ? `${body.slice(0, maxErrorCharacters)}… (${bytes.length} bytes)` : body
  return {
    content: [content.text(`${label} was answered with ${status}.${shown === '' ? '' : `\n${shown}`}`)],
    isError: true,
  }
}

function withoutBody({ label, status }: ApiAnswer, schema: Schema | undefined): CallToolResult {
  const text = `${label} was answered with ${status} and nothing else.`
  return { content: [content.text(text)], ...(schema !== undefined && { isError: true }) }
}

/** The API acted, but its answer breaks its schema: the model is told both. */
function problem({ label, status, redact }: ApiAnswer, what: string, text: string): CallToolResult {
  const shown = redact(text).slice(0, maxErrorCharacters)
  return { content: [content.text(`${label} was answered with ${status}, but ${what}\n${shown}`)], isError: true }
}

function toContent({ mediaType, bytes, url }: ApiAnswer): ContentBlock {
  if (mediaType.startsWith('image/') && mediaType !== 'image/svg+xml') return content.image(bytes, mediaType)
  if (mediaType.startsWith('audio/')) return content.audio(bytes, mediaType)
  const isText = mediaType === '' || /^text\/|xml$|javascript$|yaml$|x-www-form-urlencoded$/.test(mediaType)
  return isText ? content.text(bytes.toString('utf8')) : content.embed(url, bytes, mediaType)
}

function isJson(mediaType: string): boolean {
  return mediaType === 'application/json' || mediaType.endsWith('+json')
}

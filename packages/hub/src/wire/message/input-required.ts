import type { Question } from './call.ts'
import { markMembers, readJson } from '../json/json-text.ts'
import { isObject } from '@herma/framework/wire'

/** The interim answer of a modern server: https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr */
export interface InputRequired {
  /** The whole result, as it came. */
  readonly result: Record<string, unknown>
  readonly questions: ReadonlyMap<string, Question>
  readonly requestState: string | undefined
}

/** The methods that may be answered with `input_required`. */
export const inputMethods: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])

const inputWord = Buffer.from('"input_required"')
const beginOfComplete = /^\{(?:"jsonrpc":"2\.0",)?(?:"id":\d{1,16},)?"result":\{"resultType":"complete"/

/** Looks for the word first, so that ordinary answers are not parsed: inside a JSON string its quotes are escaped. */
export function readInputRequired(bytes: Buffer): InputRequired | null {
  if (beginOfComplete.test(bytes.toString('latin1', 0, 96)) || !bytes.includes(inputWord)) return null
  const message = readJson(bytes.toString('utf8')) as { result?: unknown }
  const { result } = message
  if (!isObject(result) || result['resultType'] !== 'input_required') return null
  const requests = isObject(result['inputRequests']) ? result['inputRequests'] : {}
  const questions = new Map<string, Question>()
  markMembers(message)
  for (const [key, request] of Object.entries(requests)) {
    if (!isObject(request) || typeof request['method'] !== 'string') continue
    markMembers(message, ['result', 'inputRequests', key])
    questions.set(key, {
      method: request['method'],
      params: isObject(request['params']) ? request['params'] : undefined,
    })
  }
  const state = result['requestState']
  return { result, questions, requestState: typeof state === 'string' ? state : undefined }
}

/** The interim answer for a client: its questions have `params`, also where the server left them out. */
export function withQuestionParams(result: Record<string, unknown>): Record<string, unknown> {
  const { inputRequests } = result
  if (!isObject(inputRequests)) return result
  const requests = Object.entries(inputRequests)
  const lacksParams = (request: unknown) => isObject(request) && request['params'] === undefined
  if (!requests.some(([, request]) => lacksParams(request))) return result
  const complete = requests.map(([key, request]) => [
    key,
    lacksParams(request) ? { ...(request as object), params: {} } : request,
  ])
  return { ...result, inputRequests: Object.fromEntries(complete) as unknown }
}

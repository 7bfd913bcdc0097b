import { createHash } from 'node:crypto'
import { isObject, type Json, type Question } from '../wire-message.ts'
import { Refusal } from './request-context.ts'

type Answers = Record<string, Json>

/** Ends a modern request with questions. What was answered so far travels in `requestState`; nothing is kept. */
export class InputRequired extends Error {
  readonly result: Json

  constructor(method: string, params: Json, questions: Record<string, Question>, answers: Answers) {
    super('input required')
    const state = { of: digest(method, params), answers }
    this.result = {
      resultType: 'input_required',
      inputRequests: questions,
      requestState: Buffer.from(JSON.stringify(state)).toString('base64url'),
    }
  }
}

/**
 * The answers of earlier rounds and of this one. A state that was made for another request is refused, so that a
 * gateway that mixes two calls up is found out.
 */
export function restoreAnswers(method: string, params: Json): Answers {
  const now = isObject(params['inputResponses']) ? (params['inputResponses'] as Answers) : {}
  const text = params['requestState']
  if (text === undefined) return now
  try {
    const state = JSON.parse(Buffer.from(String(text), 'base64url').toString('utf8')) as {
      of: string
      answers: Answers
    }
    if (state.of === digest(method, params)) return { ...state.answers, ...now }
  } catch {
    // What cannot be read is refused like what belongs elsewhere.
  }
  throw new Refusal(-32602, 'The requestState is not of this request.')
}

function digest(method: string, params: Json): string {
  const { name, uri, arguments: args } = params
  return createHash('sha256')
    .update(JSON.stringify([method, name, uri, args]))
    .digest('base64url')
}

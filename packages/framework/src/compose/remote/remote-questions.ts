import { createHash } from 'node:crypto'
import { fromJsonSchema, type CreateMessageRequestParams, type Result } from '@modelcontextprotocol/server'
import type { Context } from '../../context/context.ts'
import { errorCode, McpError } from '../../protocol/errors.ts'
import { isObject } from '../../wire/meta.ts'

export interface Question {
  readonly method: string
  readonly params?: unknown
}

/** Has a question of a remote server answered by whoever called. `key` names it within the call. */
export async function answerQuestion(question: Question, key: string, context: Context): Promise<Result> {
  const params = isObject(question.params) ? question.params : {}
  const message = String(params['message'] ?? '')
  switch (question.method) {
    case 'elicitation/create': {
      if (params['mode'] === 'url') {
        const { action } = await context.elicitUrl(key, { message, url: String(params['url']) })
        return { action }
      }
      const schema = fromJsonSchema((params['requestedSchema'] ?? { type: 'object' }) as never)
      const answer = await context.elicit(key, { message, schema })
      return answer.action === 'accept' ? { action: 'accept', content: answer.value } : { action: answer.action }
    }
    case 'sampling/createMessage': {
      const { _meta, ...rest } = params
      return context.sample(key, rest as unknown as CreateMessageRequestParams)
    }
    case 'roots/list':
      return { roots: [...(await context.roots())] }
    default:
      throw new McpError(errorCode.methodNotFound, `Method not found: ${question.method}`)
  }
}

/** What of the client's abilities a remote server may use, because its questions are passed on. */
export function askableOf(context: Context): Record<string, object> {
  const form = context.client.can('elicitation.form')
  const url = context.client.can('elicitation.url')
  return {
    ...((form || url) && { elicitation: { ...(form && { form: {} }), ...(url && { url: {} }) } }),
    ...(context.client.can('sampling') && { sampling: {} }),
    ...(context.client.can('roots') && { roots: {} }),
  }
}

/** Names the questions of one call by what they ask, so that a call that runs again finds the same answers. */
export class QuestionKeys {
  readonly #counts = new Map<string, number>()

  keyOf({ method, params }: Question): string {
    const { _meta: _, elicitationId: __, ...asked } = isObject(params) ? params : {}
    const hash = createHash('sha256')
      .update(JSON.stringify([method, asked]))
      .digest('base64url')
      .slice(0, 16)
    const count = (this.#counts.get(hash) ?? 0) + 1
    this.#counts.set(hash, count)
    return `remote ${hash} ${count}`
  }
}

import type {
  Client,
  ClientCapabilities,
  CreateMessageResult,
  ElicitRequest,
  ElicitResult,
  Root,
} from '@modelcontextprotocol/client'
import { questionKey } from '../host/question-round.ts'
import type { Question } from './test-client.ts'
import type { Ask, AskReply, TestOptions } from './test-options.ts'

/** Answers what the server asks, as the test says, and keeps what was asked. */
export class Answers {
  readonly questions: Question[] = []
  readonly #options: TestOptions
  #unanswered: Error | undefined

  constructor(options: TestOptions) {
    this.#options = options
  }

  /** Only for what the client says that it can: the SDK refuses handlers for anything else. */
  serve(client: Client, { elicitation, sampling, roots }: ClientCapabilities): void {
    if (elicitation !== undefined) {
      client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) =>
        this.#elicit(params, keyOf(mcpReq)),
      )
    }
    if (sampling !== undefined) {
      client.setRequestHandler('sampling/createMessage', async ({ params }, { mcpReq }) => {
        const { onSample } = this.#options
        const key = keyOf(mcpReq)
        if (onSample === undefined) throw this.#nobody('sample', key, "onSample: 'what the model says'")
        const reply = typeof onSample === 'function' ? await onSample(params, key) : onSample
        const answer: CreateMessageResult =
          typeof reply === 'string'
            ? { role: 'assistant', model: 'test', content: { type: 'text', text: reply } }
            : reply
        this.questions.push({ kind: 'sample', key, message: JSON.stringify(params.messages), answer })
        return answer
      })
    }
    if (roots !== undefined) client.setRequestHandler('roots/list', async () => ({ roots: this.#roots() }))
  }

  /** Throws what makes the test fail, once: a question that nobody answered. */
  check(): void {
    const problem = this.#unanswered
    this.#unanswered = undefined
    if (problem !== undefined) throw problem
  }

  async #elicit(params: ElicitRequest['params'], key: string): Promise<ElicitResult> {
    const { message } = params
    const url = 'url' in params ? params.url : undefined
    const ask: Ask = {
      key,
      message,
      ...(url === undefined ? { schema: (params as { requestedSchema: Ask['schema'] }).requestedSchema } : { url }),
    }
    const reply = await this.#replyTo(ask)
    if (reply === undefined) throw this.#nobody(message, key, `onElicit: { ${JSON.stringify(key || message)}: … }`)
    this.questions.push({ kind: url === undefined ? 'form' : 'url', key, message, answer: reply })
    if (typeof reply === 'string')
      return { action: reply, ...(reply === 'accept' && url === undefined && { content: {} }) }
    return { action: 'accept', content: reply as ElicitResult['content'] }
  }

  async #replyTo(ask: Ask): Promise<AskReply | undefined> {
    const { onElicit } = this.#options
    if (onElicit === undefined) return undefined
    if (typeof onElicit === 'function') return onElicit(ask)
    const named = [ask.key, ask.message].find((name) => Object.hasOwn(onElicit, name))
    const reply = named === undefined ? undefined : onElicit[named]
    return typeof reply === 'function' ? reply(ask) : reply
  }

  #roots(): Root[] {
    const { roots } = this.#options
    if (roots === undefined) throw this.#nobody('roots', 'roots', "roots: ['file:///…']")
    const answer = roots.map((root) => (typeof root === 'string' ? { uri: root } : root))
    this.questions.push({ kind: 'roots', key: 'roots', message: '', answer })
    return answer
  }

  #nobody(what: string, key: string, fix: string): Error {
    this.#unanswered ??= new Error(
      `The server asked ${JSON.stringify(what)} (key '${key}') and nobody answers. Give test() ${fix}`,
    )
    return this.#unanswered
  }
}

/** A modern client knows a question by its key; a legacy one is told in `_meta`. */
function keyOf({
  id,
  _meta,
}: {
  readonly id: string | number
  readonly _meta?: Readonly<Record<string, unknown>>
}): string {
  const told = _meta?.[questionKey]
  if (typeof told === 'string') return told
  return typeof id === 'string' ? id : ''
}

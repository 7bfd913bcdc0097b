import type { AssistantPart, ImagePart, TextPart, TurnMessage } from '../turn/types.ts'
import { wrongField } from './read-fields.ts'

interface Result {
  readonly id: string
  readonly text: string
  readonly images?: readonly ImagePart[]
}

/**
 * Puts the messages of a client together. Every call of a tool has to have a result before anything else is said, or
 * providers would refuse the whole talk with words that nobody understands.
 */
export class TalkBuilder {
  readonly #messages: TurnMessage[] = []
  readonly #instructions: string[] = []
  readonly #names = new Map<string, string>()
  readonly #open = new Set<string>()

  /** What was said before, and is not to be given back. */
  constructor(before: readonly TurnMessage[] = []) {
    for (const { role, parts } of before) {
      for (const part of parts) {
        if (role === 'assistant' && part.type === 'tool-call') this.#begin(part)
        if (part.type === 'tool-result') this.#open.delete(part.id)
      }
    }
  }

  instruct(text: string): void {
    if (text !== '') this.#instructions.push(text)
  }

  user(parts: readonly (TextPart | ImagePart)[], param: string): void {
    this.#requireResults(param)
    this.#messages.push({ role: 'user', parts })
  }

  /** What an assistant says in a row is one message. */
  assistant(parts: readonly AssistantPart[], param: string): void {
    const last = this.#messages.at(-1)
    const goesOn = last?.role === 'assistant'
    if (!goesOn) this.#requireResults(param)
    for (const part of parts) if (part.type === 'tool-call') this.#begin(part)
    if (goesOn) this.#messages[this.#messages.length - 1] = { role: 'assistant', parts: [...last.parts, ...parts] }
    else if (parts.length > 0) this.#messages.push({ role: 'assistant', parts })
  }

  result({ id, text, images = [] }: Result, param: string): void {
    const name = this.#names.get(id)
    if (name === undefined || !this.#open.delete(id))
      throw wrongField(param, `No call ${JSON.stringify(id)} that waits for a result stands before it.`)
    const part = { type: 'tool-result', id, name, text, isError: false, ...(images.length > 0 && { images }) } as const
    this.#messages.push({ role: 'tool', parts: [part] })
  }

  end(param: string): { messages: TurnMessage[]; instructions: string } {
    this.#requireResults(param)
    const only = this.#instructions.at(-1)
    // Some clients ask with nothing but a system message, which not every provider would answer.
    if (this.#messages.length === 0 && only !== undefined) {
      this.#messages.push({ role: 'user', parts: [{ type: 'text', text: only }] })
      this.#instructions.pop()
    }
    if (this.#messages.length === 0) throw wrongField(param, 'There is nothing to answer. Send a message of the user.')
    return { messages: this.#messages, instructions: this.#instructions.join('\n\n') }
  }

  #begin({ id, name }: { id: string; name: string }): void {
    this.#names.set(id, name)
    this.#open.add(id)
  }

  #requireResults(param: string): void {
    if (this.#open.size === 0) return
    const ids = [...this.#open].slice(0, 5).join(', ')
    throw wrongField(param, `These tool calls have no result so far: ${ids}. Send one for each.`)
  }
}

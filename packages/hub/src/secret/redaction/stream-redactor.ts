import { mask } from './mask.ts'
import type { SecretMatcher } from './secret-matcher.ts'

/** Masks secrets in text that comes in pieces. It holds back only an end that may be the beginning of a secret. */
export class StreamRedactor {
  readonly #matcher: () => SecretMatcher
  #held = ''
  /** How much of what is held was covered by a mask already. */
  #covered = 0
  /** Whether a mask is the last that was passed on. */
  #endsMasked = false

  constructor(matcher: () => SecretMatcher) {
    this.#matcher = matcher
  }

  /** What can be passed on now. */
  push(piece: string): string {
    const matcher = this.#matcher()
    const text = this.#held + piece
    return this.#pass(matcher, text, matcher.findOpenEnd(text))
  }

  /** The rest. */
  end(): string {
    const text = this.#held
    return this.#pass(this.#matcher(), text, text.length)
  }

  #pass(matcher: SecretMatcher, text: string, end: number): string {
    let position = this.#covered
    let result = ''
    for (const range of matcher.findRanges(text)) {
      if (range.start >= end) break
      // What touches a mask is behind it already.
      if (!this.#endsMasked || range.start > position) result += text.slice(position, range.start) + mask
      this.#endsMasked = true
      position = Math.max(position, range.end)
    }
    if (position < end) {
      result += text.slice(position, end)
      this.#endsMasked = false
    }
    this.#held = text.slice(end)
    this.#covered = Math.max(0, position - end)
    return result
  }
}

/** The words behind a command, read from left to right. */
export class WordReader {
  readonly #words: readonly string[]
  #at = 0

  constructor(words: readonly string[]) {
    this.#words = words
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#words.length
  }

  next(): string {
    return this.#words[this.#at++] ?? ''
  }

  rest(): readonly string[] {
    const rest = this.#words.slice(this.#at)
    this.#at = this.#words.length
    return rest
  }
}

/** A flag and, where it came as `--flag=value`, its value. */
export function splitFlag(word: string): { flag: string; value: string | undefined } {
  const at = word.startsWith('--') ? word.indexOf('=') : -1
  return at === -1 ? { flag: word, value: undefined } : { flag: word.slice(0, at), value: word.slice(at + 1) }
}

/** `NAME=value` or, with ":", `Name: value`; undefined when it is neither. */
export function splitPair(text: string, sign: '=' | ':'): { name: string; value: string } | undefined {
  const at = text.indexOf(sign)
  if (at < 1) return undefined
  const value = text.slice(at + 1)
  return { name: text.slice(0, at).trim(), value: sign === ':' ? value.trim() : value }
}

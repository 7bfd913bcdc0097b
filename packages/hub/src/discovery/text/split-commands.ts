import { HubError } from '@herma/contract'

/** A command as a shell would read it. Nothing is run. */
export interface CommandWords {
  /** Where it begins, counted from 1. */
  readonly line: number
  readonly words: readonly string[]
}

/**
 * Splits a text into commands and their words, with quotes, backslashes and comments. A line that ends with a backslash
 * goes on in the next; a prompt in front is left out.
 */
export function splitCommands(text: string): CommandWords[] {
  const splitter = new CommandSplitter(text)
  while (splitter.step());
  return splitter.finish().flatMap(splitChain)
}

class CommandSplitter {
  readonly #text: string
  readonly #commands: CommandWords[] = []
  #index = 0
  #line = 1
  #start = 1
  #words: string[] = []
  #word: string | null = null
  #quote = ''
  #quoteLine = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Reads one sign, or what belongs to it; false at the end of the text. */
  step(): boolean {
    const sign = this.#text[this.#index]
    if (sign === undefined) return false
    if (this.#word === null && this.#words.length === 0) this.#start = this.#line
    const next = this.#text[this.#index + 1]
    if (sign === '\\' && this.#quote !== "'" && next !== undefined) this.#escape(next)
    else if (this.#quote !== '') this.#readQuoted(sign)
    else this.#readPlain(sign)
    if (sign === '\n') this.#line++
    this.#index++
    return true
  }

  finish(): CommandWords[] {
    if (this.#quote !== '')
      throw new HubError('PARSE_ERROR', `Line ${this.#quoteLine}: the quote ${this.#quote} is not closed. Close it.`)
    this.#endCommand()
    return this.#commands
  }

  #escape(next: string): void {
    // Inside of double quotes a backslash is one, unless it stands before one of these.
    const isEscape = this.#quote === '' || '"\\$`\n'.includes(next)
    if (next === '\n') this.#line++
    else this.#add(isEscape ? next : `\\${next}`)
    this.#index++
  }

  #readQuoted(sign: string): void {
    if (sign === this.#quote) this.#quote = ''
    else this.#add(sign)
  }

  #readPlain(sign: string): void {
    if (sign === '"' || sign === "'") {
      this.#quote = sign
      this.#quoteLine = this.#line
      this.#add('')
    } else if (sign === '#' && this.#word === null) {
      const end = this.#text.indexOf('\n', this.#index)
      // The step to come leads behind the comment.
      this.#index = (end === -1 ? this.#text.length : end) - 1
    } else if (sign === '\n' || (sign === ';' && this.#word === null)) this.#endCommand()
    else if (/\s/.test(sign)) this.#endWord()
    else this.#add(sign)
  }

  #add(text: string): void {
    this.#word = (this.#word ?? '') + text
  }

  #endWord(): void {
    if (this.#word !== null) this.#words.push(this.#word)
    this.#word = null
  }

  #endCommand(): void {
    this.#endWord()
    const words = /^[$%>]$/.test(this.#words[0] ?? '') ? this.#words.slice(1) : this.#words
    if (words.length > 0) this.#commands.push({ line: this.#start, words })
    this.#words = []
  }
}

function splitChain({ line, words }: CommandWords): CommandWords[] {
  const at = words.findIndex((word) => word === '&&' || word === '||' || word === '|')
  if (at === -1) return words.length === 0 ? [] : [{ line, words }]
  const first = { line, words: words.slice(0, at) }
  // What reads the output of a command is no server.
  const rest = words[at] === '|' ? [] : splitChain({ line, words: words.slice(at + 1) })
  return first.words.length === 0 ? rest : [first, ...rest]
}

import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'

import { cleanText } from './clean-text.ts'
import { Prompter } from './line-reader.ts'

const narrowest = 20

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow'

/** Where a command writes: answers to standard output, everything else to standard error. */
export class Terminal {
  /** Set by `--json`: standard output then carries JSON and nothing else. */
  isMachine = false
  readonly env: NodeJS.ProcessEnv
  readonly #out: NodeJS.WriteStream
  readonly #error: NodeJS.WriteStream
  readonly #in: NodeJS.ReadStream

  constructor({ stdout, stderr, stdin, env }: Pick<NodeJS.Process, 'stdout' | 'stderr' | 'stdin' | 'env'>) {
    this.#out = stdout
    this.#error = stderr
    this.#in = stdin
    this.env = env
  }

  /** Prints the value for a program, or the text for a person. */
  answer(value: unknown, text: () => string): void {
    this.print(this.isMachine ? JSON.stringify(value, null, 2) : text())
  }

  print(text: string): void {
    this.#out.write(text.endsWith('\n') ? text : `${text}\n`)
  }

  /** Prints what a server wrote. A terminal must not obey it; a pipe gets it unchanged. */
  printForeign(text: string): void {
    this.print(this.#out.isTTY ? cleanText(text) : text)
  }

  /** Writes to standard output without ending the line, for text that comes in pieces. */
  write(text: string): void {
    this.#out.write(text)
  }

  /** Prints a remark to standard error. */
  note(text: string): void {
    this.#error.write(`${text}\n`)
  }

  /** Replaces the current line of standard error; returns false where that is not possible. */
  rewrite(text: string): boolean {
    if (!this.#error.isTTY) return false
    this.#error.write(`\r\u001B[2K${text}`)
    return true
  }

  style(style: Style, text: string): string {
    const codes: Record<Style, [number, number]> = {
      bold: [1, 22],
      dim: [2, 22],
      red: [31, 39],
      green: [32, 39],
      yellow: [33, 39],
    }
    const [on, off] = codes[style]
    return this.hasColour ? `\u001B[${on}m${text}\u001B[${off}m` : text
  }

  /** An empty NO_COLOR counts as absent: https://no-color.org */
  get hasColour(): boolean {
    return this.#out.isTTY && !this.env['NO_COLOR'] && this.env['TERM'] !== 'dumb'
  }

  /** Undefined when the output must not be cut: it is no terminal, or one that does not know its width. */
  get columns(): number | undefined {
    return this.#out.isTTY && this.#out.columns >= narrowest ? this.#out.columns : undefined
  }

  /** Whether a person reads the output as it comes. */
  get isScreen(): boolean {
    return !this.isMachine && this.#out.isTTY
  }

  /** Whether a person is there who can be asked. */
  get isInteractive(): boolean {
    return !this.isMachine && this.#in.isTTY && this.#error.isTTY
  }

  /** Asks a person. Everything but yes is no, the end of the input too. */
  async confirm(question: string): Promise<boolean> {
    const reader = createInterface({ input: this.#in, output: this.#error })
    return new Promise((resolve) => {
      reader.once('close', () => resolve(false))
      reader.question(`${question} [y/N] `, (answer) => {
        resolve(/^y(es)?$/i.test(answer.trim()))
        reader.close()
      })
    })
  }

  /** Asks a person for what nobody else should see. Empty at the end of the input, or when they gave up. */
  async askHidden(question: string): Promise<string> {
    this.#error.write(question)
    // The reader takes care of the keys; what it would write is what was typed.
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
    const reader = createInterface({ input: this.#in, output: nowhere, terminal: true })
    return await new Promise<string>((resolve) => {
      reader.once('line', resolve)
      reader.once('close', () => resolve(''))
      reader.once('line', () => reader.close())
      reader.once('SIGINT', () => reader.close())
    }).finally(() => this.#error.write('\n'))
  }

  /** Talks with a person, line by line. It has to be closed. */
  openLines(): Prompter {
    return new Prompter(this.#in, this.#error)
  }

  /** Reads standard input to its end, within a limit. */
  async readInput(limitBytes: number): Promise<string> {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of this.#in as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > limitBytes) throw new Error(`Standard input is larger than ${limitBytes} bytes.`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString('utf8')
  }
}

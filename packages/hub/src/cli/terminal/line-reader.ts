import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'

/** Lines that come within this time were pasted, and belong together. */
const pasteMs = 15
const historySize = 500

type Answer = { readonly text: string } | 'end' | 'interrupted'

/**
 * Talks with a person on a terminal, line by line. Between two questions nothing is echoed, so that what is typed does not
 * mix with what is shown; it waits for the next question.
 */
export class Prompter {
  readonly #reader: Interface
  readonly #interrupts = new Set<() => void>()
  readonly #early: string[] = []
  #isAsking = false
  #isClosed = false
  #take: ((answer: Answer) => void) | null = null
  #pasted: { lines: string[]; timer: NodeJS.Timeout } | null = null

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream) {
    const echo = new Writable({
      write: (chunk, _encoding, done) => {
        if (this.#isAsking) output.write(chunk as Buffer)
        done()
      },
    })
    // Long lines are wrapped by the width of the terminal behind it.
    Object.defineProperty(echo, 'columns', { get: () => output.columns })
    this.#reader = createInterface({ input, output: echo, terminal: true, historySize })
    this.#reader.on('line', (line) => this.#hear(line))
    this.#reader.on('SIGINT', () => this.#interrupt())
    this.#reader.once('close', () => {
      if (this.#pasted !== null) this.#deliver()
      this.#isClosed = true
      this.#answer('end')
    })
  }

  /** Shows the question and waits for an answer. What was typed before it counts. */
  async ask(question: string): Promise<Answer> {
    const early = this.#early.shift()
    if (early !== undefined) return { text: early }
    if (this.#isClosed) return 'end'
    return new Promise((resolve) => {
      this.#take = resolve
      this.#isAsking = true
      this.#reader.setPrompt(question)
      this.#reader.prompt(true)
    })
  }

  /** The same for what must not be answered by chance: what was typed before is forgotten. */
  async askAnew(question: string): Promise<Answer> {
    this.#forget()
    return this.ask(question)
  }

  /** Tells of Ctrl-C. Returns the function that stops it. */
  onInterrupt(listener: () => void): () => void {
    this.#interrupts.add(listener)
    return () => this.#interrupts.delete(listener)
  }

  close(): void {
    this.#reader.close()
  }

  #hear(line: string): void {
    if (this.#pasted !== null) {
      this.#pasted.lines.push(line)
      this.#pasted.timer.refresh()
      return
    }
    const timer = setTimeout(() => this.#deliver(), pasteMs)
    this.#pasted = { lines: [line], timer }
  }

  #deliver(): void {
    clearTimeout(this.#pasted?.timer)
    const text = this.#pasted?.lines.join('\n') ?? ''
    this.#pasted = null
    if (this.#take === null) this.#early.push(text)
    else this.#answer({ text })
  }

  #interrupt(): void {
    if (this.#take !== null) {
      this.#forget()
      this.#answer('interrupted')
    }
    for (const listener of this.#interrupts) listener()
  }

  #forget(): void {
    clearTimeout(this.#pasted?.timer)
    this.#pasted = null
    this.#early.length = 0
    // Ctrl-U: the line so far is gone.
    if (!this.#isClosed) this.#reader.write(null, { ctrl: true, name: 'u' })
  }

  #answer(answer: Answer): void {
    const take = this.#take
    this.#take = null
    this.#isAsking = false
    take?.(answer)
  }
}

import type { WorkEvent, WorkResult } from '../work/types.ts'

/** The text that a client gets of a turn, as it comes. Tools of the session do not show in it. */
export class AnswerText {
  readonly #isHeld: boolean
  #text = ''
  #isNewStep = false

  /** JSON is `isHeld` back until its end: what a model says on its way there, or in a first try, is none of it. */
  constructor(isHeld: boolean) {
    this.#isHeld = isHeld
  }

  get text(): string {
    return this.#text
  }

  /** The piece that this event adds; empty when it adds none. */
  take(event: WorkEvent): string {
    if (event.type === 'step-finished') this.#isNewStep = true
    if (event.type !== 'text-delta' || this.#isHeld || event.text === '') return ''
    const gap = this.#isNewStep && this.#text !== '' ? '\n\n' : ''
    this.#isNewStep = false
    return this.#add(gap + event.text)
  }

  /** What is still to be said. */
  end(result: Pick<WorkResult, 'text' | 'structured' | 'finish' | 'whyNotCommitted'>): string {
    if (this.#isHeld) return this.#add(jsonOf(result))
    const rest = this.#text === '' ? result.text : ''
    const { whyNotCommitted } = result
    // The model believes that its changes are on disk, and may have said so.
    const note = whyNotCommitted === null ? '' : `[Herma] The changes of files were dropped: ${whyNotCommitted}.`
    return this.#add([rest, note].filter((text) => text !== '').join('\n\n'), note !== '')
  }

  #add(piece: string, isNote = false): string {
    const added = isNote && this.#text !== '' ? `\n\n${piece}` : piece
    this.#text += added
    return added
  }
}

function jsonOf({ text, structured, finish }: Pick<WorkResult, 'text' | 'structured' | 'finish'>): string {
  if (structured !== undefined) return JSON.stringify(structured)
  return finish === 'client-tools' ? '' : text
}

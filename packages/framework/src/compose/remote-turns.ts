interface Waiting {
  readonly isAlone: boolean
  admit(): void
}

/** Who may be asked a question goes alone, everybody else together; in the order in which they came. */
export class Turns {
  readonly #waiting: Waiting[] = []
  #inside = 0
  #isTaken = false

  /** Resolves with the function that ends the turn. */
  async enter(isAlone: boolean, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#waiting.length > 0 || !this.#hasRoom(isAlone)) await this.#wait(isAlone, signal)
    else this.#take(isAlone)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#inside--
      this.#isTaken = false
      this.#next()
    }
  }

  #wait(isAlone: boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        isAlone,
        admit: () => {
          signal.removeEventListener('abort', giveUp)
          this.#take(isAlone)
          resolve()
        },
      }
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        reject(signal.reason as Error)
        this.#next()
      }
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting.push(waiting)
    })
  }

  #next(): void {
    for (let first = this.#waiting[0]; first !== undefined && this.#hasRoom(first.isAlone); first = this.#waiting[0]) {
      this.#waiting.shift()
      first.admit()
    }
  }

  #hasRoom(isAlone: boolean): boolean {
    return !this.#isTaken && (!isAlone || this.#inside === 0)
  }

  #take(isAlone: boolean): void {
    this.#inside++
    this.#isTaken = isAlone
  }
}

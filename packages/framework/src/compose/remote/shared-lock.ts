interface Waiting {
  readonly isExclusive: boolean
  grant(): void
}

/** A lock that one holds exclusively or many share, given out in the order in which it was asked for. */
export class SharedLock {
  readonly #waiting: Waiting[] = []
  #holders = 0
  #isHeldExclusively = false

  /** Resolves with the function that releases it. */
  async acquire(isExclusive: boolean, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#waiting.length > 0 || !this.#isFree(isExclusive)) await this.#wait(isExclusive, signal)
    else this.#take(isExclusive)
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#holders--
      this.#isHeldExclusively = false
      this.#next()
    }
  }

  #wait(isExclusive: boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        isExclusive,
        grant: () => {
          signal.removeEventListener('abort', giveUp)
          this.#take(isExclusive)
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
    for (
      let first = this.#waiting[0];
      first !== undefined && this.#isFree(first.isExclusive);
      first = this.#waiting[0]
    ) {
      this.#waiting.shift()
      first.grant()
    }
  }

  #isFree(isExclusive: boolean): boolean {
    return !this.#isHeldExclusively && (!isExclusive || this.#holders === 0)
  }

  #take(isExclusive: boolean): void {
    this.#holders++
    this.#isHeldExclusively = isExclusive
  }
}

import { HubError } from '@herma/contract'

const maxRunning = 3
const maxWaiting = 30

/** Lets a few searches run at a time: each holds a connection of the store, which the rest of the hub needs too. */
export class SearchGate {
  #running = 0
  readonly #waiting: (() => void)[] = []

  async pass<T>(search: () => Promise<T>): Promise<T> {
    if (this.#running >= maxRunning) await this.#wait()
    else this.#running++
    try {
      return await search()
    } finally {
      const next = this.#waiting.shift()
      // The place goes straight to the next one, so nobody slips in between.
      if (next === undefined) this.#running--
      else next()
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= maxWaiting)
      throw new HubError('OVERLOADED', `${maxWaiting} searches of traces wait already. Try again in a moment.`)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}

/**
 * Something that one part of the hub tells others while it runs. What is worth a record is an event (`events.ts`); a
 * signal is only heard by those who listen by then, in the order in which they began to.
 */
export class Signal<Told extends readonly unknown[] = []> {
  readonly #listeners: ((...told: Told) => void)[] = []

  listen(listener: (...told: Told) => void): void {
    this.#listeners.push(listener)
  }

  tell(...told: Told): void {
    for (const listener of this.#listeners) listener(...told)
  }
}

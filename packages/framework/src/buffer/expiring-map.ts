/** A map whose entries end at a time of their own; a full one drops the entry that came first. */
export class ExpiringMap<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly untilMs: number }>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (Date.now() < entry.untilMs) return entry.value
    this.#entries.delete(key)
    return undefined
  }

  set(key: string, value: Value, untilMs: number): void {
    this.#entries.delete(key)
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < this.#max) break
      this.#entries.delete(oldest)
    }
    this.#entries.set(key, { value, untilMs })
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }
}

import { RuleFailure } from './rule-failure.ts'

/** One unit is about a tenth of a microsecond, so that no check takes longer than some tens of milliseconds. */
const budget = 100_000
const errorUnits = 300
/** Deeper values are not compared: the library remembers every shape of type that it meets, for ever. */
const maxShapeDepth = 3

const spent = new RuleFailure('what it looks at is too large to be worked out')
const tooDeep = new RuleFailure('a value that it compares is nested too deeply')

/** Counts what the rules of one check cost, whatever the size of the arguments that they look at. */
export class Meter {
  #left = 0
  #paidError: unknown

  begin(): void {
    this.#left = budget
    this.#paidError = undefined
  }

  /** True for good once it has thrown: `||` and `exists` of CEL swallow errors, so whoever runs a rule asks again. */
  get isSpent(): boolean {
    return this.#left < 0
  }

  assertNotSpent(): void {
    if (this.isSpent) throw spent
  }

  spend(units: number): void {
    this.#left -= units
    if (this.#left < 0) throw spent
  }

  /** An error costs much and may be swallowed; on its way up it passes here often, and pays once. */
  spendForError(error: unknown): void {
    if (error === this.#paidError || error === spent) return
    this.#paidError = error
    this.spend(errorUnits)
  }

  /** Pays for a value that an operator or function takes; `isDeep` when all of it is looked at. */
  spendFor(value: unknown, isDeep: boolean): void {
    if (typeof value === 'string') return this.spend(value.length >> 8)
    if (typeof value !== 'object' || value === null) return
    if (this.#shapeDepth(value) > maxShapeDepth) throw tooDeep
    if (isDeep) this.#spendForAll(value)
  }

  /** How deep the type of a value is, which the library tells by first elements; pays for what is on the way. */
  #shapeDepth(value: unknown, depth = 0): number {
    if (typeof value !== 'object' || value === null || depth > maxShapeDepth) return depth
    const [first] = this.#spendForKeys(value)
    return first === undefined ? depth + 1 : this.#shapeDepth(partOf(value, first), depth + 1)
  }

  #spendForAll(value: unknown): void {
    if (typeof value === 'string') return this.spend(1 + (value.length >> 8))
    this.spend(1)
    if (typeof value !== 'object' || value === null) return
    for (const key of this.#spendForKeys(value)) this.#spendForAll(partOf(value, key))
  }

  #spendForKeys(value: object): Iterable<string | number> {
    if (Array.isArray(value)) {
      this.spend(value.length >> 3)
      return value.keys()
    }
    if (ArrayBuffer.isView(value)) {
      this.spend(value.byteLength >> 3)
      return []
    }
    const keys = Object.keys(value)
    this.spend(keys.length)
    return keys
  }
}

function partOf(value: object, key: string | number): unknown {
  return (value as Record<string | number, unknown>)[key]
}

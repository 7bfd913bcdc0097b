import type { DiscoveryNeed } from '@herma/contract'

/** The values that count: what was given, else the default. An empty text is none. */
export class NeedValues {
  readonly #needs: ReadonlyMap<string, DiscoveryNeed>
  readonly #given: Readonly<Record<string, string>>

  constructor(needs: readonly DiscoveryNeed[], given: Readonly<Record<string, string>>) {
    this.#needs = new Map(needs.map((need) => [need.id, need]))
    this.#given = given
  }

  need(id: string): DiscoveryNeed | undefined {
    return this.#needs.get(id)
  }

  of(id: string): string | undefined {
    const given = this.given(id)
    return given === undefined ? (this.#needs.get(id)?.default ?? undefined) : given
  }

  /** What a person wrote, without the default. */
  given(id: string): string | undefined {
    const value = Object.hasOwn(this.#given, id) ? this.#given[id] : undefined
    return value === '' ? undefined : value
  }

  /** The values of a need that may have several, one on each line. */
  listOf(id: string): string[] {
    const value = this.of(id)
    if (value === undefined) return []
    if (this.#needs.get(id)?.isRepeated !== true) return [value]
    return value
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
  }

  /** Ids of those that must have a value and have none. */
  missing(): string[] {
    return [...this.#needs.values()].flatMap(({ id, isRequired }) =>
      isRequired && this.listOf(id).length === 0 ? [id] : [],
    )
  }

  /** What is wrong with the values, each with the next step. They are not quoted: one may be a secret. */
  problems(): string[] {
    const unknown = Object.keys(this.#given).filter((id) => !this.#needs.has(id))
    return [
      ...unknown.map((id) => `'${id}' is not asked for. Leave it out.`),
      ...[...this.#needs.values()].flatMap((need) =>
        this.listOf(need.id).flatMap((value) => problemOf(need, value) ?? []),
      ),
    ]
  }
}

function problemOf({ name, choices, format }: DiscoveryNeed, value: string): string | null {
  if (choices.length > 0 && !choices.includes(value)) return `${name} must be one of: ${choices.join(', ')}.`
  if (format === 'number' && !Number.isFinite(Number(value))) return `${name} must be a number.`
  if (format === 'boolean' && value !== 'true' && value !== 'false') return `${name} must be true or false.`
  return null
}

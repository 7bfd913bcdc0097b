import type { ConnectorOptions } from '@herma/contract'
import { textOf, type Descriptor } from '../../wire/index.ts'
import type { DescriptorKind } from './descriptors.ts'

type Limits = Pick<ConnectorOptions, 'maxListEntries' | 'maxListBytes' | 'maxDescriptorBytes'>

/** Each with the key that names an entry. */
const words = {
  tools: ['tool', 'tools', 'name'],
  prompts: ['prompt', 'prompts', 'name'],
  resources: ['resource', 'resources', 'uri'],
  resourceTemplates: ['resource template', 'resource templates', 'uriTemplate'],
} as const satisfies Record<DescriptorKind, readonly [string, string, string]>

/** Names of what is left out that are told. */
const maxNamed = 3
const maxNameLength = 100

/** Takes the entries of one list, up to the limits of its connector: what a server offers must not fill the memory. */
export class ListCollector {
  readonly entries: Descriptor[] = []
  readonly #kind: DescriptorKind
  readonly #limits: Limits
  readonly #tooLarge: string[] = []
  #tooLargeCount = 0
  #bytes = 0
  #full: keyof Limits | null = null

  constructor(kind: DescriptorKind, limits: Limits) {
    this.#kind = kind
    this.#limits = limits
  }

  /** True when nothing more is taken. */
  get isFull(): boolean {
    return this.#full !== null
  }

  take(entry: Descriptor): void {
    const { maxListEntries, maxListBytes, maxDescriptorBytes } = this.#limits
    if (this.entries.length >= maxListEntries) {
      this.#full = 'maxListEntries'
      return
    }
    const bytes = Buffer.byteLength(textOf(entry))
    if (bytes > maxDescriptorBytes) {
      this.#tooLargeCount++
      const name = String(entry[words[this.#kind][2]]).slice(0, maxNameLength)
      if (this.#tooLarge.length < maxNamed) this.#tooLarge.push(`'${name}'`)
      return
    }
    if (this.#bytes + bytes > maxListBytes) {
      this.#full = 'maxListBytes'
      return
    }
    this.#bytes += bytes
    this.entries.push(entry)
  }

  /** What was left out, and the option that would take it. */
  get problems(): string[] {
    const [one, many] = words[this.#kind]
    const raise = (option: keyof Limits) => `more than ${option}=${this.#limits[option]}`
    const problems: string[] = []
    if (this.#full === 'maxListEntries')
      problems.push(`It lists ${raise('maxListEntries')} ${many}: the rest is left out.`)
    if (this.#full === 'maxListBytes')
      problems.push(
        `Its list of ${many} has ${raise('maxListBytes')} bytes: what comes after ${this.entries.length} is left out.`,
      )
    if (this.#tooLargeCount > 0) {
      const others = this.#tooLargeCount - this.#tooLarge.length
      const named = `${this.#tooLarge.join(', ')}${others > 0 ? ` and ${others} more` : ''}`
      const which = this.#tooLargeCount === 1 ? `The ${one}` : `The ${many}`
      problems.push(`${which} ${named} left out: a descriptor of ${raise('maxDescriptorBytes')} bytes.`)
    }
    return problems
  }
}

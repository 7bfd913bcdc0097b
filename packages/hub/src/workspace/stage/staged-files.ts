import { HubError } from '@herma/contract'
import { isInside } from '../../platform/file/is-inside.ts'
import type { Fingerprint } from '../commit/journal-record.ts'
import type { LocatedPath } from '../path/locate-path.ts'
import type { StageFigures } from './stage-figures.ts'

/** A file as a stage has it. */
export interface StagedFile {
  readonly path: string
  readonly place: LocatedPath
  /** What was on disk when it was first touched. */
  readonly before: { readonly bytes: Buffer; readonly mode: number; readonly print: Fingerprint } | null
  /** Null = removed. */
  readonly after: { readonly bytes: Buffer; readonly print: Fingerprint } | null
  /** Permission bits of a new file; null = the usual ones. */
  readonly mode: number | null
}

export interface StageLimits {
  readonly maxFiles: number
  /** Of all changed files together, before and after. */
  readonly maxBytes: number
  /** Of all stages of the hub together. */
  readonly maxTotalBytes: number
}

/** What a stage holds, within its limits. */
export class StagedFiles {
  readonly #files = new Map<string, StagedFile>()
  readonly #limits: StageLimits
  readonly #figures: StageFigures
  #bytes = 0

  constructor(limits: StageLimits, figures: StageFigures) {
    this.#limits = limits
    this.#figures = figures
  }

  get(real: string): StagedFile | undefined {
    return this.#files.get(real)
  }

  all(): StagedFile[] {
    return [...this.#files.values()]
  }

  /** Those that differ from the disk, by path. */
  changed(): StagedFile[] {
    const changed = this.all().filter(({ before, after }) => before?.print.hash !== after?.print.hash)
    return changed.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  }

  /** Whether a staged file lies in what is no folder on disk. */
  hasFolder(real: string): boolean {
    return this.all().some(({ after, place }) => after !== null && place.real !== real && isInside(real, place.real))
  }

  get bytesLeft(): number {
    return this.#limits.maxBytes - this.#bytes
  }

  put(file: StagedFile): void {
    const known = this.#files.get(file.place.real)
    const growth = sizeOf(file) - (known === undefined ? 0 : sizeOf(known))
    if (known === undefined && this.#files.size >= this.#limits.maxFiles) {
      throw full(`${this.#limits.maxFiles} files are changed already`)
    }
    if (growth > this.bytesLeft) throw full(`its limit is ${this.#limits.maxBytes} bytes`)
    if (growth > 0 && this.#figures.stagedBytes + growth > this.#limits.maxTotalBytes) {
      throw new HubError('OVERLOADED', 'Too many changes are staged in the whole hub. Try again when others are done.')
    }
    if (this.#files.size === 0) this.#figures.stages++
    this.#files.set(file.place.real, file)
    this.#bytes += growth
    this.#figures.stagedBytes += growth
  }

  clear(): void {
    if (this.#files.size > 0) this.#figures.stages--
    this.#figures.stagedBytes -= this.#bytes
    this.#files.clear()
    this.#bytes = 0
  }
}

function sizeOf({ before, after }: StagedFile): number {
  return (before?.bytes.length ?? 0) + (after?.bytes.length ?? 0)
}

function full(why: string): HubError {
  return new HubError('STAGE_FULL', `The stage is full: ${why}. Commit what is there first, or change less.`)
}

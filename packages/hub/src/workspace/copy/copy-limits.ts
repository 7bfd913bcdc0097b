import { HubError } from '@herma/contract'

export interface CopyLimits {
  readonly files: number
  readonly bytes: number
}

/** Counts against limits. */
export class Allowance {
  readonly #limits: CopyLimits
  #files = 0
  #bytes = 0

  constructor(limits: CopyLimits) {
    this.#limits = limits
  }

  /** False when it was too much; then nothing is counted. */
  take(bytes: number): boolean {
    if (this.#files + 1 > this.#limits.files || this.#bytes + bytes > this.#limits.bytes) return false
    this.#files++
    this.#bytes += bytes
    return true
  }

  hasRoomFor(files: number): boolean {
    return this.#files + files <= this.#limits.files
  }

  /** Gives back what was taken and is not used after all. */
  giveBack(files: number, bytes: number): void {
    this.#files -= files
    this.#bytes -= bytes
  }

  tooLarge(what: string, next: string): HubError {
    const { files, bytes } = this.#limits
    return new HubError('WORKSPACE_TOO_LARGE', `${what} more than ${files} files or ${bytes} bytes. ${next}`)
  }
}

import type { TestCounts, TestFailure } from './test-report.ts'

const maxFailures = 50
const maxMessageLength = 4000
const maxNameLength = 500

/** Collects results of tests. All are counted, the first failures are kept, and of a long message its beginning. */
export class ResultList {
  readonly failures: TestFailure[] = []
  #passed = 0
  #failed = 0
  #skipped = 0

  addPassed(count = 1): void {
    this.#passed += count
  }

  addSkipped(count = 1): void {
    this.#skipped += count
  }

  addFailed({ name, message, ...place }: TestFailure): void {
    this.#failed++
    if (this.failures.length >= maxFailures) return
    this.failures.push({
      name: cut(name, maxNameLength),
      ...place,
      message: cut(message.trim(), maxMessageLength) || 'It failed without a message.',
    })
  }

  get isCut(): boolean {
    return this.#failed > this.failures.length
  }

  get counts(): TestCounts {
    const [passed, failed, skipped] = [this.#passed, this.#failed, this.#skipped]
    return { total: passed + failed + skipped, passed, failed, skipped }
  }
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}

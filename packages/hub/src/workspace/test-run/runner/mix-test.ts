import { ResultList } from '../report/result-list.ts'
import type { ResultReader, TestRunner } from '../runner.ts'
import { missingRunner } from './missing-runner.ts'

const maxTextLength = 8000

/** https://hexdocs.pm/mix/Mix.Tasks.Test.html */
export const mixTest: TestRunner = {
  framework: 'mix',
  endings: ['.exs', '.ex'],
  advice: 'If dependencies are missing, get them first: mix deps.get',
  async find(project) {
    return (await project.has('mix.exs')) ? { strength: 'file', because: 'there is mix.exs' } : null
  },
  async plan(project, paths) {
    const file = await project.findProgram([], 'mix')
    if (file === null) throw missingRunner('mix', 'Install Elixir: https://elixir-lang.org/install.html')
    return { file, args: ['test', '--no-color'], pathArgs: paths, env: { MIX_ENV: 'test' } }
  },
  read: () => new MixReader(),
}

interface MixFailure {
  readonly name: string
  file?: string
  line?: number
  message: string
}

class MixReader implements ResultReader {
  readonly args: readonly string[] = []
  readonly #results = new ResultList()
  #current: MixFailure | null = null
  #hasSummary = false
  #failedBefore = 0

  onLine(line: string): string {
    const name = /^ {2,4}\d+\) (?:test|doctest|property) (.+)$/.exec(line)?.[1]
    const summary = /^((?:\d+ \w+, )*\d+ (?:tests?|doctests?|properties|property)), (\d+) failures?\b(.*)$/.exec(line)
    if (name !== undefined) this.#start(name)
    else if (summary !== null) this.#onSummary(summary[1]!, summary[3]!)
    else if (/^\S/.test(line)) this.#end()
    else this.#addLine(line)
    return line
  }

  finish(): Promise<ResultList | null> {
    this.#end()
    return Promise.resolve(this.#hasSummary || this.#results.counts.total > 0 ? this.#results : null)
  }

  #start(name: string): void {
    this.#end()
    this.#current = { name, message: '' }
  }

  // The first line of a failure says where the test is, one in its stack where it failed.
  #addLine(line: string): void {
    const current = this.#current
    if (current === null) return
    const place = /^ {5,}(?:\(.+\) )?([^\s:]+\.exs?):(\d+)(?::|$)/.exec(line)
    if (place !== null && (current.file === undefined || current.file === place[1])) {
      current.file = place[1]!
      current.line = Number(place[2])
    }
    if (place !== null && current.message === '') return
    if (current.message.length < maxTextLength) current.message += `${line.replace(/^ {5}/, '')}\n`
  }

  #end(): void {
    if (this.#current !== null) this.#results.addFailed(this.#current)
    this.#current = null
  }

  /** `1 doctest, 4 tests, 2 failures, 1 skipped`; an umbrella prints one for each of its applications. */
  #onSummary(kinds: string, rest: string): void {
    this.#end()
    this.#hasSummary = true
    const total = [...kinds.matchAll(/\d+/g)].reduce((sum, [count]) => sum + Number(count), 0)
    const skipped = [...rest.matchAll(/(\d+) (?:skipped|excluded|invalid)/g)].reduce((sum, [, n]) => sum + Number(n), 0)
    const failedNow = this.#results.counts.failed - this.#failedBefore
    this.#failedBefore = this.#results.counts.failed
    this.#results.addSkipped(skipped)
    this.#results.addPassed(Math.max(total - skipped - failedNow, 0))
  }
}

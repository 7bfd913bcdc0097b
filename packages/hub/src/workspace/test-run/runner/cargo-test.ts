import { locateFailure } from '../report/locate-failure.ts'
import { ResultList } from '../report/result-list.ts'
import type { ResultReader, TestRunner } from '../runner.ts'
import { missingRunner } from './missing-runner.ts'

const maxTextLength = 8000

/** https://doc.rust-lang.org/cargo/commands/cargo-test.html; its JSON is not for stable compilers yet. */
export const cargoTest: TestRunner = {
  framework: 'cargo',
  endings: ['.rs'],
  advice: 'If crates are missing, download them first: cargo fetch',
  async find(project) {
    return (await project.has('Cargo.toml')) ? { strength: 'file', because: 'there is Cargo.toml' } : null
  },
  async plan(project, paths) {
    const file = await project.findProgram([], 'cargo')
    if (file === null) throw missingRunner('cargo', 'Install Rust: https://www.rust-lang.org/tools/install')
    const args = ['test', '--offline', '--no-fail-fast', '--color=never']
    return { file, args, pathArgs: toTargets(paths), env: {} }
  },
  read: ({ project }) => new CargoReader(project.cwd),
}

/**
 * Cargo knows targets and names of modules, not paths: `tests/whole.rs` is a target, `src/part/deep.rs` the module
 * `part::deep`. A filter holds for all targets, so next to a target of its own modules are not filtered.
 */
function toTargets(paths: readonly string[]): string[] {
  const targets = new Set<string>()
  const modules: string[] = []
  for (const path of paths) {
    const [, folder, name] = /^(?:\.\/)?(tests|examples|benches|src\/bin)\/([^/]+?)(?:\.rs|\/.*)?$/.exec(path) ?? []
    const module = /^(?:\.\/)?src\/(.+?)(?:\/mod)?\.rs$/.exec(path)?.[1]
    if (folder !== undefined) targets.add(`${targetOptions[folder]}=${name}`)
    else if (module === 'main') targets.add('--bins')
    else if (module !== undefined) {
      targets.add('--lib')
      if (module !== 'lib') modules.push(module.replaceAll('/', '::'))
    }
  }
  const isFiltered = modules.length > 0 && targets.size === 1
  return [...targets, ...(isFiltered ? ['--', ...modules] : [])]
}

const targetOptions: Readonly<Record<string, string>> = {
  tests: '--test',
  examples: '--example',
  benches: '--bench',
  'src/bin': '--bin',
}

class CargoReader implements ResultReader {
  readonly args: readonly string[] = []
  readonly #results = new ResultList()
  readonly #cwd: string
  #hasResults = false
  #failed: string[] = []
  #texts = new Map<string, string>()
  #current: string | null = null

  constructor(cwd: string) {
    this.#cwd = cwd
  }

  onLine(line: string): string {
    const [, name, outcome] = /^test (.+) \.\.\. (ok|FAILED|ignored)\b/.exec(line) ?? []
    const section = /^---- (.+?) stdout ----$/.exec(line)?.[1]
    if (outcome === 'ok') this.#results.addPassed()
    else if (outcome === 'ignored') this.#results.addSkipped()
    else if (outcome === 'FAILED') this.#failed.push(name!)
    else if (section !== undefined) this.#current = section
    else if (line.startsWith('test result: ')) this.#endTarget()
    else if (line === 'failures:') this.#current = null
    else if (this.#current !== null) this.#keepText(this.#current, line)
    return line
  }

  finish(): Promise<ResultList | null> {
    // A target that was killed has no summary; what it said so far still counts.
    if (this.#failed.length > 0) this.#endTarget()
    return Promise.resolve(this.#hasResults || this.#results.counts.total > 0 ? this.#results : null)
  }

  #endTarget(): void {
    this.#hasResults = true
    for (const name of this.#failed) {
      const message = (this.#texts.get(name) ?? '').replace(/\nstack backtrace:[\s\S]*/, '')
      this.#results.addFailed({ name, ...locateFailure(message, { cwd: this.#cwd }), message })
    }
    this.#failed = []
    this.#texts = new Map()
    this.#current = null
  }

  #keepText(name: string, line: string): void {
    const known = this.#texts.get(name) ?? ''
    if (known.length < maxTextLength) this.#texts.set(name, `${known}${line}\n`)
  }
}

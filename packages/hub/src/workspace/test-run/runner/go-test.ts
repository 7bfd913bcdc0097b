import { join } from 'node:path'
import { locateFailure } from '../report/locate-failure.ts'
import { ResultList } from '../report/result-list.ts'
import type { ResultReader, TestRunner } from '../runner.ts'
import { missingRunner } from './missing-runner.ts'

/** What is kept of the output of one test or build, and of how many. */
const maxTextLength = 8000
const maxOpenTexts = 2000

/** https://pkg.go.dev/cmd/go#hdr-Test_packages and https://pkg.go.dev/cmd/test2json */
export const goTest: TestRunner = {
  framework: 'go',
  endings: ['.go'],
  advice: 'If modules are missing, download them first: go mod download',
  async find(project) {
    for (const file of ['go.mod', 'go.work']) {
      if (await project.has(file)) return { strength: 'file', because: `there is ${file}` }
    }
    return null
  },
  async plan(project, paths) {
    const file = await project.findProgram([], 'go')
    if (file === null) throw missingRunner('go', 'Install Go: https://go.dev/doc/install')
    return { file, args: ['test'], pathArgs: paths.length === 0 ? ['./...'] : toPackages(paths), env: {} }
  },
  async read({ project }) {
    const module = /^module\s+"?([^\s"]+)/m.exec((await project.readText('go.mod')) ?? '')?.[1] ?? null
    return new GoReader(project.cwd, module)
  },
}

/** Of a file its package, of a folder everything below. */
function toPackages(paths: readonly string[]): string[] {
  const packages = paths.map((path) => {
    const clean = path.replace(/^(\.\/)+/, '').replace(/\/+$/, '')
    if (!clean.endsWith('.go')) return clean === '' || clean === '.' ? './...' : `./${clean}/...`
    return clean.includes('/') ? `./${clean.slice(0, clean.lastIndexOf('/'))}` : '.'
  })
  return [...new Set(packages)]
}

interface GoEvent {
  readonly Action?: string
  readonly Package?: string
  readonly ImportPath?: string
  readonly Test?: string
  readonly Output?: string
  readonly FailedBuild?: string
}

class GoReader implements ResultReader {
  readonly args = ['-json']
  readonly #results = new ResultList()
  readonly #texts = new Map<string, string>()
  readonly #parents = new Set<string>()
  readonly #failedPackages = new Set<string>()
  readonly #cwd: string
  readonly #module: string | null
  #hasEvents = false

  constructor(cwd: string, module: string | null) {
    this.#cwd = cwd
    this.#module = module
  }

  onLine(line: string): string | null {
    const event = parseEvent(line)
    if (event === null) return line
    this.#hasEvents = true
    const key = `${event.ImportPath ?? event.Package ?? ''} ${event.Test ?? ''}`
    if (event.Output !== undefined) {
      this.#keepText(key, event.Output)
      return event.Output.replace(/\n$/, '')
    }
    if (event.Test !== undefined) this.#onTest(event, event.Test, key)
    else if (event.Action === 'fail') this.#onPackage(event, key)
    return null
  }

  finish(): Promise<ResultList | null> {
    return Promise.resolve(this.#hasEvents ? this.#results : null)
  }

  #onTest({ Action, Package = '' }: GoEvent, test: string, key: string): void {
    if (Action === 'run' && test.includes('/')) this.#parents.add(`${Package} ${test.slice(0, test.lastIndexOf('/'))}`)
    if (Action === 'fail') this.#failedPackages.add(Package)
    // A test with subtests passes and fails by them, so only they count.
    if (!this.#parents.has(key)) {
      if (Action === 'pass') this.#results.addPassed()
      else if (Action === 'skip') this.#results.addSkipped()
      else if (Action === 'fail') this.#addFailed(`${Package}.${test}`, Package, this.#texts.get(key) ?? '')
    }
    if (Action !== 'run') this.#texts.delete(key)
  }

  /** A package that fails without a test that did: it could not be built, or ended before its tests. */
  #onPackage({ Package = '', FailedBuild }: GoEvent, key: string): void {
    if (this.#failedPackages.has(Package)) return
    const build = FailedBuild === undefined ? undefined : this.#texts.get(`${FailedBuild} `)
    const text = (build ?? '') + (this.#texts.get(key) ?? '')
    this.#addFailed(Package, null, text)
  }

  #addFailed(name: string, inPackage: string | null, text: string): void {
    const lines = text.split('\n').filter((line) => !/^(=== |\s*--- (FAIL|PASS|SKIP))/.test(line))
    const message = lines.join('\n').replaceAll(`${this.#cwd}/`, '').trim()
    // In the output of a test only the name of the file is told, in that of the compiler the path.
    const base = inPackage === null ? this.#cwd : join(this.#cwd, this.#folderOf(inPackage))
    this.#results.addFailed({ name, ...locateFailure(text, { cwd: this.#cwd, base }), message })
  }

  #folderOf(name: string): string {
    return this.#module !== null && name.startsWith(`${this.#module}/`) ? name.slice(this.#module.length + 1) : ''
  }

  #keepText(key: string, text: string): void {
    const known = this.#texts.get(key)
    if (known === undefined && this.#texts.size >= maxOpenTexts) return
    if ((known?.length ?? 0) < maxTextLength) this.#texts.set(key, (known ?? '') + text)
  }
}

function parseEvent(line: string): GoEvent | null {
  if (!line.startsWith('{')) return null
  try {
    const value = JSON.parse(line) as GoEvent
    return typeof value.Action === 'string' ? value : null
  } catch {
    // A test printed something that only looks like an event.
    return null
  }
}

import { stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { readWhole } from './read-whole.ts'

interface RuleFile {
  readonly rules: Ignore
  /** From the folder of the file to the walked one, when it is above that; ends with `/`. */
  readonly above: string
  /** From the walked folder to that of the file, when it is below; ends with `/`. */
  readonly below: string
}

/** The .gitignore files that hold for a folder; the deepest one that says something about a path decides. */
export class IgnoreRules {
  static readonly none = new IgnoreRules([])

  readonly #files: readonly RuleFile[]

  private constructor(files: readonly RuleFile[]) {
    this.#files = files
  }

  /** The rules of a folder, with those above its place in a repository; a copy has the place of its original. */
  static async load(cwd: string, place = cwd): Promise<IgnoreRules> {
    const files: RuleFile[] = []
    for (const folder of await foldersOfRepository(place)) {
      const rules = await readRules(join(folder === place ? cwd : folder, '.gitignore'))
      const above = relative(folder, place)
      if (rules !== null) files.push({ rules, above: above === '' ? '' : `${above}/`, below: '' })
    }
    return new IgnoreRules(files)
  }

  /** These with the rules of a folder below; `below` is its path in the walked one and ends with `/`. */
  async enter(file: string, below: string): Promise<IgnoreRules> {
    const rules = await readRules(file)
    return rules === null ? this : new IgnoreRules([...this.#files, { rules, above: '', below }])
  }

  /** Folders around the path are not looked at: who walks does not enter an ignored one. */
  isIgnored(path: string, kind: 'file' | 'folder'): boolean {
    for (let index = this.#files.length - 1; index >= 0; index--) {
      const { rules, above, below } = this.#files[index]!
      const verdict = rules.test(above + path.slice(below.length) + (kind === 'folder' ? '/' : ''))
      if (verdict.ignored) return true
      if (verdict.unignored) return false
    }
    return false
  }
}

const maxFileBytes = 64 * 1024
/** Of one file; 10,000 took two seconds for a single path. */
const maxRules = 1000
/** Of those, with more than one star. */
const maxDearRules = 200
const maxAncestors = 32

/** From the root of the repository down to the folder; only the folder when there is none. */
async function foldersOfRepository(cwd: string): Promise<string[]> {
  const folders = [cwd]
  for (let folder = cwd; folders.length <= maxAncestors; folder = dirname(folder)) {
    const isRoot = await stat(join(folder, '.git')).then(
      () => true,
      () => false,
    )
    if (isRoot) return folders
    if (dirname(folder) === folder) return [cwd]
    folders.unshift(dirname(folder))
  }
  return [cwd]
}

async function readRules(file: string): Promise<Ignore | null> {
  const bytes = await readWhole(file, maxFileBytes)
  if (bytes === null) return null
  let dear = 0
  const lines = bytes
    .toString('utf8')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !line.startsWith('#') && isCheap(line))
    .filter((line) => starsOf(line) < 2 || ++dear <= maxDearRules)
    .slice(0, maxRules)
  return ignore().add(lines)
}

/** The most in one part of its path; `**` between two slashes counts for all of them. */
function starsOf(line: string): number {
  const parts = line.split('/')
  const deep = parts.filter((part) => part === '**').length
  return deep + Math.max(...parts.map((part) => (part === '**' ? 0 : (part.match(/\*+/g)?.length ?? 0))))
}

/**
 * Patterns become regular expressions that try every way to share a path among their stars: one with six `**` took
 * twenty seconds for a single path. A repository of a stranger could hold up the hub so, and nobody needs as many.
 */
function isCheap(line: string): boolean {
  const parts = line.split('/')
  const isDeep = parts.filter((part) => part === '**').length > 3
  return !isDeep && parts.every((part) => (part.match(/\*+/g)?.length ?? 0) <= 3)
}

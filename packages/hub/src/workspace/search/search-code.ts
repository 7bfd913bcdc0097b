import { compileGlobs } from '../path/compile-globs.ts'
import { BestMatches, type RankedMatch } from './best-matches.ts'
import { compileQuery, type Matcher, type QueryOptions } from './compile-query.ts'
import { createPause } from './create-pause.ts'
import { findMatches, type LineMatch } from './find-matches.ts'
import { isDefinition, matchName, rankMatch, rankPath } from './rank-match.ts'
import { readSource } from './read-source.ts'
import { walkFolders, type WalkedFolder } from './walk-folders.ts'

export interface CodeSearchOptions extends QueryOptions {
  /** Absolute and real, and already checked. */
  readonly cwd: string
  /** By the path relative to `cwd`. */
  isDenied(path: string): boolean
  /** Of the files to search; those with `!` in front are left out. None = all. */
  readonly globs?: readonly string[] | undefined
  /** Lines before and after each match. */
  readonly contextLines?: number | undefined
  readonly maxResults: number
  /** Larger files are not searched. */
  readonly maxFileBytes: number
  readonly signal: AbortSignal
}

export interface CodeSearchResult {
  /** The best first. */
  readonly files: readonly FoundFile[]
  readonly counts: {
    /** Lines that match, also those that are not shown. */
    readonly matches: number
    readonly files: number
    readonly filesSearched: number
    /** Binary, too large, or not readable. */
    readonly filesSkipped: number
  }
  /** True when not all matches are shown, or not all folders were walked. */
  readonly truncated: boolean
}

export interface FoundFile {
  readonly path: string
  /** True when the query is in its name. */
  readonly isNamed: boolean
  readonly matches: readonly FoundLine[]
}

export interface FoundLine {
  /** Both count from one. */
  readonly line: number
  readonly column: number
  readonly text: string
  readonly isDefinition: boolean
  readonly before: readonly string[]
  readonly after: readonly string[]
}

const maxContextLines = 10

/**
 * Searches the files of a folder, without those that .gitignore names and those of tools. Definitions of the word and
 * files named like it come first. Links are not followed.
 */
export async function searchFolder(options: CodeSearchOptions): Promise<CodeSearchResult> {
  const search = new Search(options)
  const walk = walkFolders(options)
  for (let step = await walk.next(); ; step = await walk.next()) {
    if (step.done === true) return search.finish(step.value)
    await search.searchFolder(step.value)
  }
}

interface Found extends RankedMatch {
  readonly isNamed: boolean
  readonly match: FoundLine | null
}

class Search {
  readonly #options: CodeSearchOptions
  readonly #matcher: Matcher
  readonly #isWanted: (path: string) => boolean
  readonly #best: BestMatches<Found>
  readonly #pause: () => Promise<void> | undefined
  readonly #counts = { matches: 0, files: 0, filesSearched: 0, filesSkipped: 0 }
  /** Files that match by their names alone. */
  #named = 0

  constructor(options: CodeSearchOptions) {
    this.#options = options
    this.#matcher = compileQuery(options)
    this.#isWanted = compileFileFilter(options.globs ?? [])
    this.#best = new BestMatches(options.maxResults)
    this.#pause = createPause(options.signal)
  }

  async searchFolder({ prefix, folder, files }: WalkedFolder): Promise<void> {
    for (const name of files) {
      if (this.#isWanted(prefix + name)) await this.#searchFile(prefix + name, folder.at(name))
      await this.#pause()
    }
  }

  finish(isWhole: boolean): CodeSearchResult {
    const best = this.#best.best()
    const files = new Map<string, { path: string; isNamed: boolean; matches: FoundLine[] }>()
    for (const { path, isNamed, match } of best) {
      const file = files.get(path) ?? { path, isNamed, matches: [] }
      files.set(path, file)
      if (match !== null) file.matches.push(match)
    }
    for (const file of files.values()) file.matches.sort((a, b) => a.line - b.line)
    const truncated = !isWhole || best.length < this.#counts.matches + this.#named
    return { files: [...files.values()], counts: { ...this.#counts }, truncated }
  }

  async #searchFile(path: string, place: string): Promise<void> {
    const name = matchName(path, this.#options.query, this.#matcher)
    const isNamed = name !== null
    const base = rankPath(path, name)
    const bytes = readSource(place, this.#options.maxFileBytes)
    const isText = bytes !== null && !bytes.subarray(0, 8192).includes(0)
    this.#counts[isText ? 'filesSearched' : 'filesSkipped']++
    let matches = 0
    if (isText && this.#matcher.mayBeIn(bytes)) {
      await findMatches(bytes.toString('utf8'), {
        matcher: this.#matcher,
        contextLines: Math.min(this.#options.contextLines ?? 0, maxContextLines),
        pause: this.#pause,
        onMatch: (match) => {
          matches++
          this.#best.add({ path, line: match.line, rank: base + rankMatch(match), isNamed, match: toFoundLine(match) })
        },
      })
    }
    this.#counts.matches += matches
    if (matches > 0 || isNamed) this.#counts.files++
    if (matches > 0 || !isNamed) return
    this.#named++
    this.#best.add({ path, line: 0, rank: base, isNamed, match: null })
  }
}

function compileFileFilter(globs: readonly string[]): (path: string) => boolean {
  const left = globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1))
  const taken = globs.filter((glob) => !glob.startsWith('!'))
  const isLeft = compileGlobs(left)
  const isTaken = taken.length === 0 ? () => true : compileGlobs(taken)
  return (path) => isTaken(path) && !isLeft(path)
}

const maxTextLength = 400

function toFoundLine(match: LineMatch): FoundLine {
  const { line, start, before, after } = match
  // Of a long line, what is around the match.
  const from = start > maxTextLength - 100 ? start - 100 : 0
  return {
    line,
    column: start + 1,
    text: cut(match.text.slice(from)),
    isDefinition: isDefinition(match),
    before: before.map(cut),
    after: after.map(cut),
  }
}

function cut(text: string): string {
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text
}

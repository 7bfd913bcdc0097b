import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { openFolder, type Folder } from '../folder.ts'
import { IgnoreRules } from './ignore-rules.ts'

export interface FolderWalkOptions {
  /** Absolute and real, and already checked. */
  readonly cwd: string
  /** Asked for files and folders by their paths relative to `cwd`; nothing below a denied folder is seen. */
  isDenied(path: string): boolean
  /** Where to begin, relative to `cwd`; absent = there. */
  readonly below?: string
  /** Which folders are not entered: those of tools and those that .gitignore names, only the former, or none. */
  readonly passBy?: 'ignored' | 'tools' | 'nothing'
  /** The folder whose place in a repository says which .gitignore files above hold; absent = `cwd`. */
  readonly repository?: string
  readonly signal?: AbortSignal | undefined
}

/** A folder while it is held open, so that nobody can put another one in its place. */
export interface WalkedFolder {
  /** Relative to where the walk began; ends with `/`, or is empty. */
  readonly prefix: string
  readonly folder: Folder
  /** It says of itself that tools made it; then it is not looked into, and all that follows is empty. */
  readonly isTools: boolean
  /** Names, sorted. Files that are ignored or denied are not among them. */
  readonly files: readonly string[]
  readonly links: readonly string[]
  /** Folders that are not entered: made by tools, or ignored. */
  readonly passedBy: readonly string[]
  readonly ignoredFiles: readonly string[]
  /** Pipes, sockets and devices. */
  readonly specials: readonly string[]
}

/** Folders of tools and of what can be fetched again; never what somebody wrote. */
const toolFolders: ReadonlySet<string> = new Set(
  (
    '.git .hg .svn .jj node_modules bower_components .venv __pycache__ .tox .nox .mypy_cache .pytest_cache ' +
    '.ruff_cache .gradle .terraform .next .nuxt .turbo .yarn'
  ).split(' '),
)

/** By these files a folder says that all in it can be made again: https://bford.info/cachedir/, virtual environments. */
const toolMarks: readonly string[] = ['CACHEDIR.TAG', 'pyvenv.cfg']

const maxEntries = 500_000
const maxDepth = 64

/**
 * Goes through the folders with sources, each before those in it. Links are never followed. A folder that cannot be read
 * is passed over. Throws the reason of the signal. Returns false when there was more than anybody wants to walk.
 */
export async function* walkFolders(options: FolderWalkOptions): AsyncGenerator<WalkedFolder, boolean> {
  const { cwd, below = '', passBy = 'ignored', repository = cwd } = options
  const rules = passBy === 'ignored' ? await IgnoreRules.load(cwd, repository) : IgnoreRules.none
  const walk = { options: { ...options, passBy }, left: maxEntries }
  const folder = await openFolder(cwd, below === '' ? [] : below.split('/'))
  try {
    const prefix = below === '' ? '' : `${below}/`
    return yield* walkFolder(walk, { prefix, folder, rules, entries: await list(folder) })
  } finally {
    await folder.close()
  }
}

interface Walk {
  readonly options: FolderWalkOptions & Required<Pick<FolderWalkOptions, 'passBy'>>
  left: number
}

interface Position {
  readonly prefix: string
  readonly folder: Folder
  readonly entries: readonly Dirent[]
  /** Of the folder around it, or its own for the first. */
  readonly rules: IgnoreRules
}

/** So many folders are opened at once. Each level of depth holds as many descriptors. */
const lookAhead = 8

async function* walkFolder(walk: Walk, around: Position): AsyncGenerator<WalkedFolder, boolean> {
  const { prefix, folder, entries } = around
  walk.options.signal?.throwIfAborted()
  walk.left -= entries.length
  if (walk.left < 0 || prefix.split('/').length > maxDepth) return false
  const rules = await ownRules(walk, around)
  const { below, ...found } = sort(entries, { prefix, rules }, walk.options)
  yield { prefix, folder, isTools: false, ...found }
  let isWhole = true
  for (let at = 0; at < below.length; at += lookAhead) {
    const opened = await Promise.all(below.slice(at, at + lookAhead).map((name) => enter(folder, name)))
    try {
      for (const inner of opened) {
        if (inner === null) continue
        const position = { ...inner, prefix: `${prefix}${inner.name}/`, rules }
        if (isToolFolder(inner.entries) && walk.options.passBy !== 'nothing') {
          yield { ...nothing, prefix: position.prefix, folder: inner.folder, isTools: true }
        } else {
          const isInnerWhole = yield* walkFolder(walk, position)
          isWhole &&= isInnerWhole
        }
      }
    } finally {
      for (const inner of opened) await inner?.folder.close()
    }
  }
  return isWhole
}

async function ownRules({ options }: Walk, { prefix, folder, entries, rules }: Position): Promise<IgnoreRules> {
  const hasOwn = prefix !== '' && entries.some((entry) => entry.name === '.gitignore')
  return hasOwn && options.passBy === 'ignored' ? await rules.enter(folder.at('.gitignore'), prefix) : rules
}

const nothing = { files: [], ignoredFiles: [], links: [], specials: [], passedBy: [] }

function sort(
  entries: readonly Dirent[],
  { prefix, rules }: Pick<Position, 'prefix' | 'rules'>,
  { isDenied, passBy }: Walk['options'],
) {
  const found = { files: [] as string[], ignoredFiles: [] as string[], links: [] as string[], specials: [] as string[] }
  const folders = { passedBy: [] as string[], below: [] as string[] }
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const { name } = entry
    const path = prefix + name
    if (isDenied(path)) continue
    if (entry.isDirectory()) {
      const isTools = passBy !== 'nothing' && toolFolders.has(name)
      folders[isTools || rules.isIgnored(path, 'folder') ? 'passedBy' : 'below'].push(name)
    } else if (entry.isSymbolicLink()) found.links.push(name)
    else if (entry.isFile()) found[rules.isIgnored(path, 'file') ? 'ignoredFiles' : 'files'].push(name)
    else found.specials.push(name)
  }
  return { ...found, ...folders }
}

function isToolFolder(entries: readonly Dirent[]): boolean {
  return entries.some((entry) => toolMarks.includes(entry.name))
}

async function list(folder: Folder): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder.at('.'), { withFileTypes: true })
    await folder.check()
    return entries
  } catch {
    // Gone meanwhile, replaced, or not for us to read.
    return []
  }
}

async function enter(around: Folder, name: string) {
  try {
    const folder = await around.enter(name)
    return { name, folder, entries: await list(folder) }
  } catch {
    // Gone, a link since we looked, or closed to us: there is nothing to see.
    return null
  }
}

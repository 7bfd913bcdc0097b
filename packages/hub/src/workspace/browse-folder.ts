import { opendir, realpath, stat } from 'node:fs/promises'
import type { Dirent } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, normalize, sep } from 'node:path'
import { HubError, type BrowseQuery, type FolderListing } from '@herma/contract'

export interface BrowseOptions {
  /** Folders and files that are never shown, nor entered: they hold the keys of the hub. */
  readonly hidden: readonly string[]
  readonly home?: string
}

type Entry = FolderListing['entries'][number]

const maxEntries = 1000
/** A folder with more is read this far. */
const maxRead = 5000

/** Lists a folder of this machine for a person who looks for a folder or a file. */
export async function browseFolder({ path, kind }: BrowseQuery, options: BrowseOptions): Promise<FolderListing> {
  const home = options.home ?? homedir()
  const folder = toFolder(path ?? '', home)
  const hidden = await Promise.all(options.hidden.map(realOf))
  const real = await realpath(folder).catch((error: unknown) => explain(folder, error))
  if (hidden.some((each) => real === each || real.startsWith(each + sep)))
    throw new HubError('PATH_REFUSED', `${folder} holds what only the hub reads. Choose another folder.`)
  const { found, isWhole } = await readFolder(folder)
  const entries: Entry[] = []
  for (const entry of found) {
    const shown = await describe(join(folder, entry.name), entry)
    if (shown === null || (kind === 'folder' && shown.kind === 'file')) continue
    const place = join(real, entry.name)
    if (!hidden.includes(entry.isSymbolicLink() ? await realOf(place) : place)) entries.push(shown)
  }
  const sorted = entries.toSorted((a, b) => rank(a) - rank(b) || compareNames(a.name, b.name))
  return {
    path: folder,
    parent: dirname(folder) === folder ? null : dirname(folder),
    home,
    entries: sorted.slice(0, maxEntries),
    isWhole: isWhole && sorted.length <= maxEntries,
  }
}

function toFolder(path: string, home: string): string {
  const whole = path === '' || path === '~' ? home : path.startsWith('~/') ? join(home, path.slice(2)) : path
  if (!isAbsolute(whole) || whole.includes('\0'))
    throw new HubError('INVALID_PARAMS', `'${path}' is no full path. Begin it with / or ~.`)
  const folder = normalize(whole)
  return folder.length > 1 && folder.endsWith(sep) ? folder.slice(0, -1) : folder
}

async function readFolder(folder: string): Promise<{ found: Dirent[]; isWhole: boolean }> {
  const found: Dirent[] = []
  try {
    for await (const entry of await opendir(folder)) {
      if (found.length >= maxRead) return { found, isWhole: false }
      found.push(entry)
    }
  } catch (error) {
    explain(folder, error)
  }
  return { found, isWhole: true }
}

/** Null for what is neither a folder nor a file, and for a link that leads nowhere. */
async function describe(path: string, entry: Dirent): Promise<Entry | null> {
  const { name } = entry
  if (entry.isDirectory()) return { name, path, kind: 'folder', executable: false }
  if (!entry.isFile() && !entry.isSymbolicLink()) return null
  const target = await stat(path).catch(() => null)
  if (target === null) return null
  if (target.isDirectory()) return { name, path, kind: 'folder', executable: false }
  return target.isFile() ? { name, path, kind: 'file', executable: (target.mode & 0o111) !== 0 } : null
}

/** Folders, files, hidden folders, hidden files. */
function rank({ name, kind }: Entry): number {
  return (name.startsWith('.') ? 2 : 0) + (kind === 'folder' ? 0 : 1)
}

function compareNames(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true, sensitivity: 'base' })
}

/** What is not there cannot be entered either. */
async function realOf(path: string): Promise<string> {
  return await realpath(path).catch(() => path)
}

function explain(folder: string, cause: unknown): never {
  const { code, message } = cause as NodeJS.ErrnoException
  if (code === 'ENOENT')
    throw new HubError('FILE_NOT_FOUND', `${folder} does not exist on the hub's machine.`, { cause })
  if (code === 'ENOTDIR') throw new HubError('FILE_UNREADABLE', `${folder} is a file, not a folder.`, { cause })
  if (code === 'EACCES' || code === 'EPERM') {
    const text = `The hub may not read ${folder}. Choose another folder, or let the hub's user read it.`
    throw new HubError('FILE_UNREADABLE', text, { cause })
  }
  throw new HubError('FILE_UNREADABLE', `${folder} cannot be read: ${message}`, { cause })
}

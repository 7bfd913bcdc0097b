import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { basename, dirname, relative, sep } from 'node:path'
import { HubError } from '@herma/contract'
import { isInside } from '../platform/file/is-inside.ts'
import { hasDescriptorNames, pathOfHandle, openFolder } from './folder.ts'
import type { PathRefusal, LocatedPath } from './path/locate-path.ts'
import { type PathRules } from './path/path-policy.ts'
import { fileNotFound } from './path/path-refusal.ts'

/** One regular file as it is now. */
export interface FileContent {
  readonly bytes: Buffer
  /** Permission bits. */
  readonly mode: number
}

// Without waiting for a writer of a FIFO, and without becoming the terminal of anybody.
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY

export interface FileRead {
  readonly path: string
  readonly place: LocatedPath
  readonly maxBytes: number
  /** Throws. */
  refuse(refusal: PathRefusal): never
}

/** Opens, asks what was opened, checks that, and reads the same descriptor: no race can put another file in between. */
export async function readFileAt(rules: PathRules, read: FileRead): Promise<FileContent> {
  const { path, refuse } = read
  const handle = await openFile(read).catch((error: unknown) => throwUnreadable(path, error))
  try {
    if (hasDescriptorNames) {
      const actual = await pathOfHandle(handle)
      if (rules.rootOf(actual) === undefined) refuse({ path, reason: 'outside', because: 'it leads outside' })
      // The rules allowed one path. Another one, or one that was removed meanwhile, is not that.
      if (actual !== read.place.real) throw changed(path)
    }
    const { mode, nlink, size, ...kind } = await statOf(handle)
    if (kind.isFolder) throw new HubError('FILE_UNREADABLE', `'${path}' is a folder. List it instead.`)
    if (!kind.isFile) refuse({ path, reason: 'special', because: 'it is a device, a pipe or a socket' })
    if (nlink > 1 && !rules.allowHardLinks) refuse({ path, reason: 'hard-link', because: 'it has a second name' })
    if (size > read.maxBytes) throw tooLarge(read)
    return { bytes: await readAll(handle, read), mode: mode & 0o777 }
  } finally {
    await handle.close()
  }
}

async function openFile({ place }: FileRead): Promise<FileHandle> {
  if (hasDescriptorNames) return await open(place.real, readFlags)
  const folder = await openFolder(place.root, namesBetween(place.root, dirname(place.real)))
  try {
    const handle = await open(folder.at(basename(place.real)), readFlags)
    await folder.check().catch(async (error: unknown) => {
      await handle.close()
      throw error
    })
    return handle
  } finally {
    await folder.close()
  }
}

/** The names that lead from a folder to another one inside of it. */
export function namesBetween(folder: string, inner: string): string[] {
  if (!isInside(folder, inner)) throw new Error(`'${inner}' is not inside of '${folder}'.`)
  return relative(folder, inner)
    .split(sep)
    .filter((name) => name !== '')
}

async function statOf(handle: FileHandle) {
  const found = await handle.stat()
  const { mode, nlink, size } = found
  return { mode, nlink, size, isFile: found.isFile(), isFolder: found.isDirectory() }
}

// A file may grow while it is read, so its size is no bound.
async function readAll(handle: FileHandle, read: FileRead): Promise<Buffer> {
  const chunks: Buffer[] = []
  for (let total = 0; ;) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(Math.min(read.maxBytes + 1, 65_536)))
    if (bytesRead === 0) return Buffer.concat(chunks)
    total += bytesRead
    if (total > read.maxBytes) throw tooLarge(read)
    chunks.push(buffer.subarray(0, bytesRead))
  }
}

function throwUnreadable(path: string, cause: unknown): never {
  const { code } = cause as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') throw fileNotFound(path)
  // Between the look and the opening somebody put a link there.
  if (code === 'ELOOP') throw changed(path)
  throw new HubError('FILE_UNREADABLE', `'${path}' cannot be opened: ${String(code)}. Check its permissions.`, {
    cause,
  })
}

function changed(path: string): HubError {
  return new HubError('FILE_UNREADABLE', `'${path}' changed while it was opened. Try again.`)
}

function tooLarge({ path, maxBytes }: FileRead): HubError {
  return new HubError('FILE_TOO_LARGE', `'${path}' has more than ${maxBytes} bytes. Search it instead of reading it.`)
}

import { createHash } from 'node:crypto'
import { constants, type BigIntStats } from 'node:fs'
import { lstat, open, type FileHandle } from 'node:fs/promises'
import type { Folder } from '../folder.ts'
import type { Fingerprint, JournalEntry } from './journal-record.ts'

/** A file of a commit, compared with what it was and what it shall be. */
export interface Target {
  /** other = somebody else changed it. */
  readonly state: 'before' | 'after' | 'other'
  readonly file: { readonly bytes: Buffer; readonly mode: number; readonly uid: number; readonly gid: number } | null
  /** Differs as soon as anything happened to the file. */
  readonly stamp: string
}

const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY

export async function findCommitTarget(folder: Folder, entry: JournalEntry): Promise<Target> {
  let handle: FileHandle
  try {
    handle = await open(folder.at(entry.name), readFlags)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return { state: 'other', file: null, stamp: '' }
    const state = entry.before === null ? 'before' : entry.after === null ? 'after' : 'other'
    return { state, file: null, stamp: 'none' }
  }
  try {
    const found = await handle.stat({ bigint: true })
    const sizes = [entry.before?.bytes, entry.after?.bytes]
    // What has neither size need not be read, however large it is.
    if (!found.isFile() || !sizes.includes(Number(found.size))) return { state: 'other', file: null, stamp: '' }
    const bytes = await handle.readFile()
    const { hash } = fingerprint(bytes)
    const state = hash === entry.before?.hash ? 'before' : hash === entry.after?.hash ? 'after' : 'other'
    const file = { bytes, mode: Number(found.mode) & 0o777, uid: Number(found.uid), gid: Number(found.gid) }
    return { state, file, stamp: stampOf(found) }
  } finally {
    await handle.close()
  }
}

/** Asks for the stamp alone. */
export async function findStamp(folder: Folder, name: string): Promise<string> {
  try {
    return stampOf(await lstat(folder.at(name), { bigint: true }))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'none'
    throw error
  }
}

export function fingerprint(bytes: Uint8Array): Fingerprint {
  return { hash: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length }
}

function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
}

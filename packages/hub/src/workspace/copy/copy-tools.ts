import { mkdir, readlink, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { walkFolders, type WalkedFolder } from '../search/walk-folders.ts'
import { copyOneFile } from './copy-file.ts'
import type { Allowance } from './copy-limits.ts'
import { inParallel } from './in-parallel.ts'
import { removeTree } from './remove-tree.ts'
import { staysInside } from './stays-inside.ts'

export interface CopyToolsOptions {
  readonly cwd: string
  readonly target: string
  isDenied(path: string): boolean
  readonly allowance: Allowance
  readonly signal: AbortSignal
}

const maxCopiers = 8

/**
 * Copies a folder that tools made, such as dependencies, whole or not at all: half of one is worse than none. Its links
 * are copied when they lead to somewhere inside; where they lead elsewhere, what they lead to is missing in the copy.
 * Returns false when there is no room.
 */
export async function copyTools(path: string, options: CopyToolsOptions): Promise<boolean> {
  if (!(await hasRoom(path, options))) return false
  const used = { files: 0, bytes: 0 }
  const take = (bytes: number) => {
    if (!options.allowance.take(bytes)) return false
    used.files++
    used.bytes += bytes
    return true
  }
  for await (const folder of walkFolders({ ...options, below: path, passBy: 'nothing' })) {
    if (await copyToolFolder(folder, { ...options, take })) continue
    options.allowance.giveBack(used.files, used.bytes)
    await removeTree(join(options.target, path))
    return false
  }
  return true
}

/** Counting takes a tenth of the time of copying, which would be for nothing. */
async function hasRoom(path: string, options: CopyToolsOptions): Promise<boolean> {
  let count = 0
  for await (const { files } of walkFolders({ ...options, below: path, passBy: 'nothing' })) {
    count += files.length
    if (!options.allowance.hasRoomFor(count)) return false
  }
  return true
}

async function copyToolFolder(
  { prefix, folder, files, links }: WalkedFolder,
  { target, signal, take }: CopyToolsOptions & { take(bytes: number): boolean },
): Promise<boolean> {
  await mkdir(join(target, prefix))
  let isWhole = true
  await inParallel(files, maxCopiers, async (name) => {
    signal.throwIfAborted()
    if (!isWhole) return
    const to = join(target, prefix, name)
    const outcome = await copyOneFile({ from: folder.at(name), to, take, allowHardLinks: true })
    if (outcome === 'no-room') isWhole = false
  })
  for (const name of links) {
    const to = await readlink(folder.at(name)).catch(() => null)
    if (to !== null && staysInside(prefix + name, to)) await symlink(to, join(target, prefix, name))
  }
  return isWhole
}

import { createHash } from 'node:crypto'
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

const unusedDays = 30

/** Where installed clients and servers stay from run to run: outside of the tree, so that a new checkout has them. */
function cacheHome(): string {
  const own = process.env['HERMA_INTEROP_CACHE']
  return own ?? join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'herma-interop')
}

/**
 * A folder that `fill` was run for, once for what it is made from. One that was not filled to its end is filled again,
 * and what nobody used for a month goes.
 */
export async function cachedFolder(
  name: string,
  sources: readonly (string | Uint8Array)[],
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256')
  for (const source of [process.platform, process.arch, ...sources]) hash.update(source).update('\0')
  const folder = join(cacheHome(), `${name}-${hash.digest('hex').slice(0, 16)}`)
  const stamp = join(folder, '.complete')
  const now = new Date()
  // The stamp is missing until everything is there.
  const isComplete = await utimes(stamp, now, now).then(
    () => true,
    () => false,
  )
  if (!isComplete) {
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    await fill(folder)
    await writeFile(stamp, '')
    await removeUnused(name)
  }
  return folder
}

async function removeUnused(name: string): Promise<void> {
  const home = cacheHome()
  const oldest = Date.now() - unusedDays * 86_400_000
  for (const entry of await readdir(home)) {
    if (!/^[0-9a-f]{16}$/.test(entry.slice(name.length + 1)) || !entry.startsWith(`${name}-`)) continue
    // Without a stamp somebody may be filling it.
    const used = await stat(join(home, entry, '.complete')).catch(() => undefined)
    if (used && used.mtimeMs < oldest) await rm(join(home, entry), { recursive: true, force: true })
  }
}

import { createHash } from 'node:crypto'
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { withLock } from '../../../scripts/prepare/lock.mjs'

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
  // Legs of a run, and runs of several clones, ask for the same at the same time.
  if (!(await touchStamp(folder))) await withLock(`interop-${name}`, () => fillOnce(name, folder, fill), folder)
  return folder
}

async function fillOnce(name: string, folder: string, fill: (folder: string) => Promise<void>): Promise<void> {
  if (await touchStamp(folder)) return
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await fill(folder)
  await writeFile(stampOf(folder), '')
  await removeUnused(name)
}

/** Notes that the folder is used; false when it was not filled to its end, for then the stamp is missing. */
async function touchStamp(folder: string): Promise<boolean> {
  const now = new Date()
  return utimes(stampOf(folder), now, now).then(
    () => true,
    () => false,
  )
}

function stampOf(folder: string): string {
  return join(folder, '.complete')
}

async function removeUnused(name: string): Promise<void> {
  const home = cacheHome()
  const oldest = Date.now() - unusedDays * 86_400_000
  for (const entry of await readdir(home)) {
    if (!/^[0-9a-f]{16}$/.test(entry.slice(name.length + 1)) || !entry.startsWith(`${name}-`)) continue
    // Without a stamp somebody may be filling it.
    const used = await stat(stampOf(join(home, entry))).catch(() => undefined)
    if (used && used.mtimeMs < oldest) await rm(join(home, entry), { recursive: true, force: true })
  }
}

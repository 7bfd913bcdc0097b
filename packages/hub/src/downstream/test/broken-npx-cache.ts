import { execFile } from 'node:child_process'
import { lstat, realpath, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { HubError } from '@herma/contract'
import type { LinkSettings } from '../link/link-settings.ts'
import { runsNpx } from '../channel/package-runner.ts'
import { serverEnvironment } from '../isolation/launch.ts'

const run = promisify(execFile)

/**
 * The folder in the cache of npx that an install left half made, where a start failed because of it. An npx that is
 * killed in the middle leaves packages without a package.json; it takes them for installed from then on, and fails.
 */
export async function findBrokenNpxCache(settings: LinkSettings, stderr: readonly string[]): Promise<string | null> {
  if (settings.transport !== 'stdio' || !runsNpx(settings)) return null
  const named = stderr.flatMap((line) => [...line.matchAll(/(\/[^\s'":]*\/_npx\/[0-9a-f]{16})(?![0-9a-f])/g)])
  for (const folder of new Set(named.map(([, path]) => path!))) if (await isBroken(settings, folder)) return folder
  return null
}

/** Removes such a folder. Refuses everything else. */
export async function removeBrokenNpxCache(settings: LinkSettings, folder: string): Promise<void> {
  if (settings.transport !== 'stdio' || !runsNpx(settings) || !(await isBroken(settings, folder)))
    throw new HubError('PATH_REFUSED', `${folder} is not a half-made folder of npx's cache. Nothing was removed.`)
  await rm(folder, { recursive: true, force: true })
}

async function isBroken(settings: LinkSettings, folder: string): Promise<boolean> {
  try {
    const parent = await realpath(dirname(folder))
    const isPlace = parent === (await realpath(join(await npmCache(settings), '_npx')))
    if (!isPlace || !/^[0-9a-f]{16}$/.test(basename(folder))) return false
    // A link could lead anywhere.
    if (!(await lstat(folder)).isDirectory()) return false
  } catch {
    // There is no such folder, or no cache at all.
    return false
  }
  return lstat(join(folder, 'package.json')).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )
}

/** Where npm keeps its cache, as its own settings say in the environment of the server. */
async function npmCache({ command, env, workingDir }: LinkSettings): Promise<string> {
  const npm = basename(command) === command ? 'npm' : join(dirname(command), 'npm')
  const options = { cwd: workingDir, env: serverEnvironment(env), timeout: 20_000 }
  const { stdout } = await run(npm, ['config', 'get', 'cache'], options)
  return stdout.trim()
}

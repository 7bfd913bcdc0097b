import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ensureStateHome } from '../file/homes.ts'
import { createLog } from '../log.ts'
import { openStore } from '../store/store.ts'
import { beginRunFolder, moveToRun, runFolder } from './run-folder.ts'
import { createTemporaryHome } from './temporary-home.ts'

const run = promisify(execFile)
const name = 'state'
const part = 'postgres'
// A database that is new consists of zeros for the most part.
const flags = process.platform === 'linux' ? ['-a', '--sparse=always'] : ['-a']

/** Hubs that a test starts together wait for the same one. */
let making: Promise<void> | null = null

/**
 * Puts the database of a hub that was started once into a new state home. To copy it takes a third of the processor time
 * of making one, and does not wait for the disk.
 */
export async function prepareState(stateHome: string): Promise<void> {
  const template = runFolder(name)
  if (!existsSync(template)) await (making ??= makeTemplate())
  await ensureStateHome(stateHome)
  await run('cp', [...flags, join(template, part), stateHome])
}

async function makeTemplate(): Promise<void> {
  const home = await createTemporaryHome()
  const store = await openStore({ stateHome: home.path, log: createLog('silent') })
  await store.stop()
  const folder = beginRunFolder(name)
  await run('cp', [...flags, join(home.path, part), folder])
  await home.remove()
  moveToRun(folder, name)
}

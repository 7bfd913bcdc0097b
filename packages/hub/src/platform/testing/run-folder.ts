import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isAlive } from '../process/process-tree.ts'

/** Beside the build, so that a bundle finds from there what the built hub finds. */
const runs = fileURLToPath(new URL('../../../.bundles/', import.meta.url))

/** A folder for what all test files of one run share; it is there once somebody has moved it there. */
export function runFolder(name: string): string {
  return join(runs, `${process.ppid}-${name}`)
}

/** A folder to make something in that `moveToRun` then shows to the others. */
export function beginRunFolder(name: string): string {
  mkdirSync(runs, { recursive: true })
  // What runs of the past have left.
  for (const old of readdirSync(runs))
    if (!isAlive(Number(old.split('-')[0]))) rmSync(join(runs, old), { recursive: true, force: true })
  const folder = `${runFolder(name)}-${process.pid}`
  mkdirSync(folder)
  return folder
}

export function moveToRun(folder: string, name: string): void {
  try {
    renameSync(folder, runFolder(name))
  } catch {
    // Another worker was faster, with the same result.
    rmSync(folder, { recursive: true })
  }
}

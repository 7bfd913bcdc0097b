import { writeFile } from 'node:fs/promises'
import { createFile, type Disk, localDisk } from '../commit/disk.ts'

/** What a crash leaves to its program: nothing happens any more. */
export class Crash extends Error {}

export interface Faults {
  /** From this step on nothing reaches the disk, which holds half of it. */
  readonly crashAt?: number | undefined
  /** This step fails as on a full disk. */
  readonly failAt?: number | undefined
  /** Called before each step. */
  readonly onStep?: ((step: number, name: keyof Disk, path: string) => void | Promise<void>) | undefined
}

/** The disk, with faults at the steps that a test chose. It leaves out to wait for the device, which no test can pull. */
export function createFaultyDisk(faults: Faults = {}): Disk & { steps(): number } {
  let step = -1
  const run = async (name: keyof Disk, path: string, work: () => Promise<unknown>, half?: () => Promise<unknown>) => {
    step++
    await faults.onStep?.(step, name, path)
    if (step === faults.failAt || step === faults.crashAt) await half?.()
    if (step === faults.failAt) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' })
    if (step >= (faults.crashAt ?? Infinity)) throw new Crash('crashed')
    await work()
  }
  return {
    steps: () => step + 1,
    create: (path, file) =>
      run(
        'create',
        path,
        () => createFile(path, file, async () => {}),
        () => writeFile(path, file.bytes.subarray(0, file.bytes.length / 2), { flag: 'wx' }),
      ),
    rename: (from, to) => run('rename', to, () => localDisk.rename(from, to)),
    remove: (path) => run('remove', path, () => localDisk.remove(path)),
    makeFolder: (path, owner) => run('makeFolder', path, () => localDisk.makeFolder(path, owner)),
    removeFolder: (path) => run('removeFolder', path, () => localDisk.removeFolder(path)),
    sync: () => run('sync', '', async () => {}),
  }
}

import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TemporaryHome {
  readonly path: string
  remove(): Promise<void>
}

/** A fresh folder that the server's user may pass through, also when the tests run as root. */
export async function createTemporaryHome(): Promise<TemporaryHome> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'herma-test-')))
  await chmod(path, 0o711)
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

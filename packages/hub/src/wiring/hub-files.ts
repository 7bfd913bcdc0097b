import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the CLI finds the running hub. */
export async function announce(stateHome: string, url: string, startedAt: Date): Promise<void> {
  const content = JSON.stringify({ url, processId: process.pid, startedAt: startedAt.toISOString() })
  await writeFile(join(stateHome, 'hub.json'), `${content}\n`, { mode: 0o600 })
}

/** Beside the bundle, or the build of the web package when the hub runs from source. */
export function findWebFolder(): string {
  const bundled = fileURLToPath(new URL('./web', import.meta.url))
  return existsSync(bundled) ? bundled : fileURLToPath(new URL('../../../web/dist', import.meta.url))
}

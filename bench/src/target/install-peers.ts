import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { peersPath } from '../paths.ts'

/** Installs the npm peers when they are missing or not the pinned ones. */
export async function installPeers(say: (line: string) => void): Promise<void> {
  if (isInstalled()) return
  say('Installing the npm peers into bench/peers (once, about 300 MB) …')
  // Their settings, such as running no install scripts, are in bench/peers/.npmrc.
  await promisify(execFile)('npm', ['ci'], { cwd: peersPath('.'), maxBuffer: 64 * 1024 * 1024 })
}

function isInstalled(): boolean {
  const { dependencies } = readJson(peersPath('package.json')) as { dependencies: Record<string, string> }
  return Object.entries(dependencies).every(([name, version]) => {
    const manifest = peersPath(`node_modules/${name}/package.json`)
    return existsSync(manifest) && (readJson(manifest) as { version: string }).version === version
  })
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))

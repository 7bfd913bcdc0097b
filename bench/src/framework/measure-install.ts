import { execFile } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { makeTemporaryFolder, removeTemporaryFolder } from '../machine/temporary-folder.ts'
import type { Contender } from './contender.ts'
import { benchPath, repositoryPath } from './framework-path.ts'

export interface Install {
  contender: string
  version: string
  /** What an author names in package.json, zod among it. */
  named: number
  /** What the main package itself depends on. */
  dependencies: number
  packages: number
  megabytes: number
}

const run = promisify(execFile)

/** Installs what an author needs for stdio and HTTP into an empty folder, and looks at what came. */
export async function measureInstall(contender: Contender): Promise<Install> {
  const folder = await makeTemporaryFolder('install')
  try {
    const dependencies = { ...contender.packages }
    if (dependencies[contender.main] === 'packed') dependencies[contender.main] = await pack(folder)
    // Versions that some of them ask for were withdrawn from registries; the peers of the bench pin the same ones.
    const { overrides } = readJson(benchPath('peers/package.json')) as { overrides: Record<string, string> }
    writeFileSync(`${folder}/package.json`, JSON.stringify({ private: true, dependencies, overrides }))
    const options = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    await run('npm', options, { cwd: folder, maxBuffer: 64 * 1024 * 1024 })
    const main = readJson(`${folder}/node_modules/${contender.main}/package.json`) as {
      version: string
      dependencies?: Record<string, string>
    }
    const { packages } = readJson(`${folder}/node_modules/.package-lock.json`) as { packages: Record<string, object> }
    return {
      contender: contender.name,
      version: main.version,
      named: Object.keys(dependencies).length,
      dependencies: Object.keys(main.dependencies ?? {}).length,
      packages: Object.keys(packages).length,
      megabytes: bytesIn(`${folder}/node_modules`) / 1e6,
    }
  } finally {
    await removeTemporaryFolder(folder)
  }
}

/** Ours is not on npm yet: what `npm publish` would upload is installed from a file. */
async function pack(folder: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder, '--loglevel=error'], {
    cwd: repositoryPath('packages/framework'),
  })
  const [packed] = JSON.parse(stdout) as { filename: string }[]
  if (!packed) throw new Error('npm pack made no file')
  return `file:${folder}/${packed.filename}`
}

function bytesIn(path: string): number {
  const status = lstatSync(path)
  if (!status.isDirectory()) return status.size
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(`${path}/${name}`), 0)
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))

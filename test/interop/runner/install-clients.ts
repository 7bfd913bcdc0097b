import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { runProgram } from './run-program.ts'

/** The programs of other people, ready to run. */
export interface Programs {
  /** A Node that is new enough for all of them. */
  readonly node: string
  /** A Python that has their libraries; undefined when nothing asked for it. */
  readonly python: string | undefined
  /** Path of a file of an npm package. */
  file(packageName: string, path: string): string
  /** Version of an npm package. */
  version(packageName: string): Promise<string>
}

const home = new URL('../', import.meta.url)
const oldestNode = 24
const installTimeoutMs = 600_000

/** Installs what the lock files pin, once: npm packages, and a Node from npm where ours is too old for them. */
export async function installClients({ withPython }: { withPython: boolean }): Promise<Programs> {
  const isNodeEnough = Number.parseInt(process.versions.node, 10) >= oldestNode
  await once('node_modules/.herma-stamp', 'package-lock.json', isNodeEnough ? 'own node' : 'npm node', () =>
    installPackages(isNodeEnough),
  )
  const file = (packageName: string, path: string) => inHome(`node_modules/${packageName}/${path}`)
  return {
    node: isNodeEnough ? process.execPath : await findNode(),
    python: withPython ? await installPython() : undefined,
    file,
    async version(packageName) {
      const text = await readFile(file(packageName, 'package.json'), 'utf8')
      return (JSON.parse(text) as { version: string }).version
    },
  }
}

/** Nothing that is installed here needs a script of its own to run. */
async function installPackages(isNodeEnough: boolean): Promise<void> {
  process.stderr.write('Installing the npm clients (once, up to 370 MB)…\n')
  const omit = isNodeEnough ? ['--omit=optional'] : []
  await install(['npm', 'ci', '--prefix', inHome(''), '--ignore-scripts', '--loglevel=error', '--no-fund', ...omit])
}

/** The environment stands in node_modules, which nothing commits, lints or formats. */
async function installPython(): Promise<string> {
  const folder = inHome('node_modules/.python')
  const python = `${folder}/${process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python'}`
  await once('node_modules/.python/.herma-stamp', 'requirements.txt', 'venv', async () => {
    process.stderr.write('Installing the Python clients (once, 115 MB)…\n')
    const system = process.platform === 'win32' ? 'python' : 'python3'
    await install([system, '-m', 'venv', '--clear', folder])
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--require-hashes', '--no-deps']
    await install([python, ...pip, '-r', inHome('requirements.txt')])
  })
  return python
}

/** Runs `work` unless it was already done for this lock file. */
async function once(stampPath: string, lockPath: string, kind: string, work: () => Promise<void>): Promise<void> {
  const stamp = new URL(stampPath, home)
  const lock = await readFile(new URL(lockPath, home))
  const wanted = `${createHash('sha256').update(lock).digest('hex')} ${kind}\n`
  // Without a readable stamp it was not done.
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return
  await work()
  await writeFile(stamp, wanted)
}

async function install(command: readonly [string, ...string[]]): Promise<void> {
  const shown = command.join(' ')
  const env = process.env as Record<string, string>
  const run = runProgram(command, { env, cwd: inHome(''), timeoutMs: installTimeoutMs })
  const { code, stderr } = await run.catch((cause: unknown) => {
    throw new Error(`COULD NOT INSTALL: ${shown} did not run. Is ${command[0]} installed?`, { cause })
  })
  if (code === 0) return
  throw new Error(`COULD NOT INSTALL: ${shown} ended with ${code}. Can its package index be reached?\n${stderr}`)
}

async function findNode(): Promise<string> {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const prefix = platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'
  const root = new URL(`node_modules/${prefix}-${platform}-${process.arch}/`, home)
  try {
    const { bin } = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as { bin: { node: string } }
    return fileURLToPath(new URL(bin.node, root))
  } catch (cause) {
    const advice = `The clients need Node ≥ ${oldestNode}, and npm has none for ${platform}-${process.arch}.`
    throw new Error(`COULD NOT INSTALL: ${advice} Run this with a newer Node.`, { cause })
  }
}

function inHome(path: string): string {
  return fileURLToPath(new URL(path, home))
}

import { copyFile, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cachedFolder } from './cache.ts'
import { runProgram } from './run-program.ts'

/** The folders of package.json and lock file in `npm/`. */
export type NpmUnit = 'clients' | 'claude-code' | 'codex' | 'gemini-cli' | 'opencode'
/** The requirements in `python/`: two versions of the SDK cannot be installed together. */
export type PythonUnit = 'v1' | 'v2'

export interface NpmPackages {
  readonly folder: string
  /** Path of a file of a package. */
  file(packageName: string, path: string): string
  version(packageName: string): Promise<string>
}

export interface PythonPackages {
  readonly python: string
  /** Path of a program that a package installs. */
  program(name: string): string
  version(distribution: string): Promise<string>
}

export interface GoPrograms {
  program(name: 'sdk-client' | 'sdk-server' | 'mcp-go-client'): string
  version(module: string): Promise<string>
}

/** The programs of other people, installed when somebody first asks for them; what cannot be had rejects. */
export interface Programs {
  npm(unit: NpmUnit): Promise<NpmPackages>
  python(unit: PythonUnit): Promise<PythonPackages>
  go(): Promise<GoPrograms>
  /** A Node that is new enough for all of the clients. */
  node(): Promise<string>
}

const home = fileURLToPath(new URL('../', import.meta.url))
const oldestNode = 24
const installTimeoutMs = 600_000

export function createPrograms(): Programs {
  const npm = remember(installNpm)
  return {
    npm,
    python: remember(installPython),
    go: remember(buildGo),
    async node() {
      if (Number.parseInt(process.versions.node, 10) >= oldestNode) return process.execPath
      return findNode(await npm('clients'))
    },
  }
}

/** Each argument once, for everybody who asks. */
function remember<Key extends string | void, Value>(work: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
  const started = new Map<Key, Promise<Value>>()
  return (key) => {
    const running = started.get(key) ?? work(key)
    started.set(key, running)
    return running
  }
}

/** Nothing that is installed here needs a script of its own to run. */
async function installNpm(unit: NpmUnit): Promise<NpmPackages> {
  const names = (await readdir(join(home, 'npm', unit))).toSorted()
  const sources = await Promise.all(names.map((name) => readFile(join(home, 'npm', unit, name))))
  // Without a lock file there is one exact version, which pins the programs of all platforms itself.
  const how = names.includes('package-lock.json') ? 'ci' : 'install'
  const folder = await cachedFolder(`npm-${unit}`, sources, async (target) => {
    tell(`Installing the npm packages of ${unit} (once)…`)
    for (const name of names) await copyFile(join(home, 'npm', unit, name), join(target, name))
    await install(['npm', how, '--ignore-scripts', '--loglevel=error', '--no-fund', '--no-audit'], target)
  })
  const file = (packageName: string, path: string) => join(folder, 'node_modules', packageName, path)
  return {
    folder,
    file,
    async version(packageName) {
      const text = await readFile(file(packageName, 'package.json'), 'utf8')
      return (JSON.parse(text) as { version: string }).version
    },
  }
}

async function installPython(unit: PythonUnit): Promise<PythonPackages> {
  const requirements = join(home, 'python', `${unit}.txt`)
  const folder = await cachedFolder(`python-${unit}`, [await readFile(requirements)], async (target) => {
    tell(`Installing the Python packages of ${unit} (once)…`)
    await install([process.platform === 'win32' ? 'python' : 'python3', '-m', 'venv', target], home)
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--require-hashes', '--no-deps']
    await install([pythonIn(target, 'python'), ...pip, '-r', requirements], home)
  })
  const python = pythonIn(folder, 'python')
  return {
    python,
    program: (name) => pythonIn(folder, name),
    async version(distribution) {
      const script = `import importlib.metadata as m; print(m.version(${JSON.stringify(distribution)}))`
      const { code, stdout, stderr } = await runProgram([python, '-c', script], { env: {} })
      if (code !== 0) throw new Error(`${distribution} is not installed.\n${stderr}`)
      return stdout.trim()
    },
  }
}

function pythonIn(folder: string, name: string): string {
  return process.platform === 'win32' ? join(folder, 'Scripts', `${name}.exe`) : join(folder, 'bin', name)
}

async function buildGo(): Promise<GoPrograms> {
  const source = join(home, 'go')
  const files = (await readdir(source, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).toSorted()
  const folder = await cachedFolder('go', await Promise.all(paths.map((path) => readFile(path))), async (target) => {
    tell('Building the Go clients and servers (once)…')
    await install(['go', 'build', '-mod=readonly', '-trimpath', '-o', `${target}/`, './...'], source)
  })
  const goMod = await readFile(join(source, 'go.mod'), 'utf8')
  return {
    program: (name) => join(folder, process.platform === 'win32' ? `${name}.exe` : name),
    async version(module) {
      const line = goMod.split('\n').find((text) => text.trim().startsWith(`${module} v`))
      if (line === undefined) throw new Error(`go.mod does not name ${module}.`)
      return line.trim().split(' v')[1] ?? ''
    },
  }
}

async function install(command: readonly [string, ...string[]], cwd: string): Promise<void> {
  const shown = command.join(' ')
  const env = process.env as Record<string, string>
  const run = runProgram(command, { env, cwd, timeoutMs: installTimeoutMs })
  const { code, stderr } = await run.catch((cause: unknown) => {
    throw new Error(`${shown} did not run. Is ${command[0]} installed?`, { cause })
  })
  if (code === 0) return
  throw new Error(`${shown} ended with ${code}. Can its packages be reached?\n${stderr}`)
}

async function findNode({ file }: NpmPackages): Promise<string> {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const prefix = platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'
  const packageName = `${prefix}-${platform}-${process.arch}`
  try {
    const text = await readFile(file(packageName, 'package.json'), 'utf8')
    return file(packageName, (JSON.parse(text) as { bin: { node: string } }).bin.node)
  } catch (cause) {
    const advice = `The clients need Node ≥ ${oldestNode}, and npm has none for ${platform}-${process.arch}.`
    throw new Error(`${advice} Run this with a newer Node.`, { cause })
  }
}

function tell(text: string): void {
  process.stderr.write(`${text}\n`)
}

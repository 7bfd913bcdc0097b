import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

export type Suite = { node: string; script: string; version: string }

const home = new URL('../', import.meta.url)
const oldestNode = 22

/** Makes sure that the suite is there, and a Node that can run it: ours when it is new enough, else one from npm. */
export async function installSuite(): Promise<Suite> {
  const isNodeEnough = Number.parseInt(process.versions.node, 10) >= oldestNode
  const stamp = new URL('node_modules/.herma-stamp', home)
  const lock = await readFile(new URL('package-lock.json', home))
  const wanted = `${createHash('sha256').update(lock).digest('hex')} ${isNodeEnough ? 'own' : 'npm'} node\n`
  if ((await readFile(stamp, 'utf8').catch(() => '')) !== wanted) {
    process.stderr.write('Installing the conformance suite (once, up to 240 MB)…\n')
    await install(isNodeEnough ? ['--omit=optional'] : [])
    await writeFile(stamp, wanted)
  }
  const root = new URL('node_modules/@modelcontextprotocol/conformance/', home)
  const { version } = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as { version: string }
  return {
    node: isNodeEnough ? process.execPath : await findNode(),
    script: fileURLToPath(new URL('dist/index.js', root)),
    version,
  }
}

/** Nothing that is installed here needs a script of its own to run. */
async function install(more: string[]): Promise<void> {
  const args = ['ci', '--prefix', fileURLToPath(home), '--ignore-scripts', '--loglevel=error', '--no-fund', ...more]
  const isWindows = process.platform === 'win32'
  const child = spawn('npm', args, { cwd: home, stdio: ['ignore', 'ignore', 'inherit'], shell: isWindows })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`npm ci in test/conformance failed (${code}). Is the npm registry reachable?`)
}

async function findNode(): Promise<string> {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const prefix = platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'
  const root = new URL(`node_modules/${prefix}-${platform}-${process.arch}/`, home)
  try {
    const { bin } = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as { bin: { node: string } }
    return fileURLToPath(new URL(bin.node, root))
  } catch (cause) {
    const advice = `The suite needs Node ≥ ${oldestNode}, and npm has none for ${platform}-${process.arch}. Run this with a newer Node.`
    throw new Error(advice, { cause })
  }
}

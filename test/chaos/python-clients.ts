import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Crowd, CrowdReport } from './crowd.ts'

const run = promisify(execFile)
const program = fileURLToPath(new URL('python_clients.py', import.meta.url))
const installTimeoutMs = 300_000

/** A Python that has this version of the SDK. It is kept outside of the tree, for the next time. */
export async function findPython(version: string): Promise<string> {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'herma-test')
  const folder = join(cache, `mcp-${version}`)
  const python = join(folder, 'bin/python')
  if (existsSync(python)) return python
  mkdirSync(cache, { recursive: true })
  const draft = `${folder}.${process.pid}`
  process.stdout.write(`Installing the Python SDK ${version} (once)…\n`)
  try {
    await run('python3', ['-m', 'venv', draft], { timeout: installTimeoutMs })
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `mcp==${version}`]
    await run(join(draft, 'bin/python'), pip, { timeout: installTimeoutMs })
    renameSync(draft, folder)
    return python
  } catch (cause) {
    rmSync(draft, { recursive: true, force: true })
    throw new Error(`PYTHON CANNOT BE HAD: mcp ${version} was not installed. Leave it out with --without-python.`, {
      cause,
    })
  }
}

/** Clients of the Python SDK in a process of their own; the plain ones are the SDK as it comes. */
export async function startPythonClients(options: {
  version: string
  endpoint: URL
  tool: string
  patient: number
  plain: number
}): Promise<Crowd> {
  const python = await findPython(options.version)
  const words = [program, options.endpoint.href, options.tool, String(options.patient), String(options.plain)]
  const child = spawn(python, words, { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting: ((message: Record<string, unknown>) => void)[] = []
  const ended: ((error: Error) => void)[] = []
  createInterface({ input: child.stdout }).on('line', (line) =>
    waiting.shift()?.(JSON.parse(line) as Record<string, unknown>),
  )
  child.once('exit', (code) => {
    for (const reject of ended) reject(new Error(`The Python clients ended with code ${code}.`))
  })
  const next = () =>
    new Promise<Record<string, unknown>>((resolve, reject) => {
      waiting.push(resolve)
      ended.push(reject)
    })
  const tell = async (line: string) => {
    const answer = next()
    child.stdin.write(`${line}\n`)
    return await answer
  }
  await next()
  return {
    name: `Python SDK ${options.version}`,
    size: options.patient + options.plain,
    leastRounds: async () => {
      const { least, clients } = await tell('rounds')
      return clients === options.patient + options.plain ? Number(least) : 0
    },
    pause: async () => void (await tell('pause')),
    go: () => void child.stdin.write('go\n'),
    stop: async () => {
      const { calls, failed, wrong, broken, brokenBy, example, error } = await tell('stop')
      child.stdin.end()
      return { calls, failed, wrong, broken, notes: [brokenBy, example, error] } as unknown as CrowdReport
    },
    kill: () => void child.kill('SIGKILL'),
  }
}

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const entries = { ts: 'dist', js: 'src' } as const

let home: string

/**
 * A folder with what npm would publish of us, unpacked, beside links to what is installed here anyway: so the published
 * form is proven without a network.
 */
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'create-herma-server-'))
  const installed = join(home, 'node_modules')
  await mkdir(join(installed, '@herma'), { recursive: true })
  await unpack('packages/framework', join(installed, '@herma/framework'))
  await unpack('packages/create-herma-server', join(home, 'create'))
  const names = (await readdir(join(root, 'node_modules'))).filter((name) => name !== '@herma')
  await Promise.all(names.map((name) => symlink(join(root, 'node_modules', name), join(installed, name))))
})
afterAll(() => rm(home, { recursive: true, force: true }))

async function unpack(path: string, target: string): Promise<void> {
  const options = ['pack', '--json', '--ignore-scripts', '--pack-destination', home]
  const { stdout } = await run('npm', options, { cwd: join(root, path) })
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
  await mkdir(target, { recursive: true })
  await run('tar', ['-xzf', join(home, filename), '-C', target, '--strip-components', '1'])
}

const create = (...words: string[]) =>
  run(process.execPath, [join(home, 'create/bin/create-herma-server.js'), ...words], { cwd: home })

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

async function greet(client: Client): Promise<unknown> {
  const { content } = await client.callTool({ name: 'greet', arguments: { name: 'Ada' } })
  return content
}

describe.each(['ts', 'js'] as const)('a new project of the template %s', (template) => {
  const name = `my-${template}-server`
  const folder = () => join(home, name)
  let said: string

  beforeAll(async () => {
    said = (await create(name, '--template', template)).stdout
    if (template === 'ts') await run('npm', ['run', 'build'], { cwd: folder() })
  })

  test('says what to do next', () => {
    expect(said).toContain(`cd ${name}\n  npm install\n  npm test\n`)
  })

  test('passes its own tests', async () => {
    const { stdout } = await run('npm', ['test'], { cwd: folder() })

    expect(stdout).toMatch(/# pass 3|ℹ pass 3/)
  })

  test.each(['legacy', 'auto'] as const)('answers a client over stdio (%s)', async (mode) => {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
    const args = [join(folder(), entries[template], 'stdio.js')]
    await client.connect(new StdioClientTransport({ command: process.execPath, args }))
    try {
      expect(await greet(client)).toEqual([{ type: 'text', text: 'Hello, Ada!' }])
      expect(client.getServerVersion()?.name).toBe(name)
    } finally {
      await client.close()
    }
  })

  test('answers a client over HTTP, and stops when it is told to', async () => {
    const program = join(folder(), entries[template], 'http.js')
    const server = spawn(process.execPath, [program], {
      env: { ...process.env, PORT: '0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const ended = once(server, 'exit')
    try {
      const [line] = (await once(createInterface(server.stderr), 'line')) as [string]
      const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
      await client.connect(new StreamableHTTPClientTransport(new URL(line.replace('Serving on ', ''))))
      expect(await greet(client)).toEqual([{ type: 'text', text: 'Hello, Ada!' }])
      await client.close()
    } finally {
      server.kill('SIGTERM')
    }
    expect(await ended).toEqual([0, null])
  })

  test('is not written over', async () => {
    await expect(create(name)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') })
  })
})

test('a name that cannot be one is refused, with the reason on one line', async () => {
  const { stderr } = await create('My Server').catch((error: { stderr: string }) => error)

  expect(stderr).toMatch(/^'My Server' cannot name a package\..*\n$/)
  expect(await isThere(join(home, 'My Server'))).toBe(false)
})

test('without a name and without anybody to ask it says what to write', async () => {
  const child = spawn(process.execPath, [join(home, 'create/bin/create-herma-server.js')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [line] = (await once(createInterface(child.stderr), 'line')) as [string]

  expect(line).toBe('Which folder? Say it: npm create herma-server my-server')
})

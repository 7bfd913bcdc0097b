import { execFileSync } from 'node:child_process'
import { link, mkdir, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { isAlive } from '../../../packages/hub/src/platform/process/process-tree.ts'
import { waitFor } from '../start-test-hub.ts'
import { calls, startAgentsHub, succeed, toldBy, type AgentsHub } from './start-agents-hub.ts'

let place: AgentsHub
const coder = '/api/mcp/sessions/coder/stream'

beforeAll(async () => {
  place = await startAgentsHub()
  await place.addSession({ name: 'coder', limits: { maxSteps: 5 } })
  // Somebody who lets a session work everywhere still keeps the hub to himself.
  await place.addSession({ name: 'everywhere', workingDir: '/', paths: { roots: ['/'] } })
})
afterAll(() => place[Symbol.asyncDispose]())

afterEach(async () => {
  for (const figure of ['workspace_stages_open', 'session_turns_running', 'session_turns_waiting'])
    await waitFor(async () => ((await place.figure(figure)) === 0 ? true : undefined))
  await waitFor(() => (place.llm.open === 0 ? true : undefined))
  for (const folder of ['working-copies', 'test-runs', 'workspace-journal'])
    await waitFor(
      async () => (await readdir(join(place.hub.stateHome, folder)).catch(() => [])).length === 0 || undefined,
    )
})

async function generate(spec = 'Do it.', args: Record<string, unknown> = {}) {
  return place.call(coder, { tool: 'code.generate', args: { spec, ...args } })
}

describe('a hostile model', () => {
  test('writes nowhere but into the workspace, and there not what programs obey', async () => {
    const { outside, workspace, llm } = place
    await symlink(outside, join(workspace, 'way-out'))
    await symlink(join(outside, 'not-there'), join(workspace, 'dangling'))
    await mkdir(join(workspace, '.git/hooks'), { recursive: true })
    const paths = [
      '../outside/a',
      `${outside}/a`,
      'way-out/a',
      'src/../../outside/a',
      'dangling',
      '/proc/self/fd/../environ',
      '/dev/shm/a',
      'nul\0.js',
      '',
      '.',
      '.git/hooks/pre-commit',
      '.git/config',
      '.GIT/hooks/pre-commit',
      '.g\u200cit/config',
      'sub/.git/hooks/post-checkout',
      '.env',
      '.ENV.local',
      '.npmrc',
      '.herma-stage-x',
      'a'.repeat(5000),
    ]
    llm.script = calls(...paths.map((path) => ({ name: 'write_file', arguments: { path, text: 'evil' } })))
    const answer = await generate()
    expect(answer.structured, answer.text).toMatchObject({ committed: false, changes: [] })
    expect(await readdir(outside)).toEqual([])
    expect(await readdir(workspace)).toEqual(['.git', 'dangling', 'package.json', 'way-out'])
    expect(await readdir(join(workspace, '.git/hooks'))).toEqual([])
    for (const name of ['way-out', 'dangling', '.git']) await rm(join(workspace, name), { recursive: true })
  })

  test('moves and edits nothing over the border either', async () => {
    const { outside, workspace, llm } = place
    await writeFile(join(outside, 'precious'), 'outside')
    await writeFile(join(workspace, 'mine'), 'inside')
    llm.script = calls(
      { name: 'move_file', arguments: { from: 'mine', to: '../outside/mine' } },
      { name: 'move_file', arguments: { from: '../outside/precious', to: 'precious' } },
      { name: 'edit_file', arguments: { path: '../outside/precious', old_text: 'outside', new_text: 'evil' } },
      { name: 'delete_file', arguments: { path: '../outside/precious' } },
    )
    const answer = await generate()
    expect(answer.structured, answer.text).toMatchObject({ committed: false, changes: [] })
    expect(await readFile(join(outside, 'precious'), 'utf8')).toBe('outside')
  })

  test('reads neither the token of the operator nor the key of the hub, though its root be the whole disk', async () => {
    const { hub, llm } = place
    const token = (await readFile(join(hub.stateHome, 'operator-token'), 'utf8')).trim()
    llm.script = calls(
      { name: 'read_file', arguments: { path: join(hub.stateHome, 'operator-token') } },
      { name: 'list_files', arguments: { path: hub.stateHome } },
      { name: 'list_files', arguments: { path: join(hub.stateHome, '..') } },
      { name: 'write_file', arguments: { path: join(hub.stateHome, '../catalog/evil.json'), text: '{}' } },
    )
    const args = { spec: 'Look around.', cwd: join(hub.stateHome, '..') }
    const answer = await place.call('/api/mcp/sessions/everywhere/stream', { tool: 'code.generate', args })
    expect(answer.text + toldBy(llm).join()).not.toContain(token)
    const told = toldBy(llm)
    expect(told).toHaveLength(4)
    for (const index of [0, 1, 3]) expect(told[index]).toContain('belongs to Herma itself')
    expect(told[2]).not.toMatch(/(^|\/)state/m)
    const search = { query: token.slice(0, 12), cwd: join(hub.stateHome, '..') }
    const found = await place.call('/api/mcp/sessions/everywhere/stream', { tool: 'search.code', args: search })
    expect(found.structured, found.text).toMatchObject({ total_matches: 0 })
  })

  test('that calls thousands of tools at once gets 128, and no more than fits into memory', async () => {
    const { workspace, llm } = place
    await writeFile(join(workspace, 'large.txt'), 'x'.repeat(99_000))
    const flood = Array.from({ length: 1000 }, () => ({ name: 'read_file', arguments: { path: 'large.txt' } }))
    llm.script = calls(...flood)
    await generate()
    const told = toldBy(llm)
    expect(told).toHaveLength(1000)
    expect(told.filter((text) => text.startsWith('xxx')).length).toBeLessThan(60)
    expect(told.filter((text) => text.startsWith('Not run'))).toHaveLength(1000 - 128)
  })

  test('is told what is wrong with its calls, and what others have is not among them', async () => {
    const { llm } = place
    llm.script = calls(
      { name: 'everywhere__code.generate', arguments: {} },
      { name: '__proto__', arguments: {} },
      { name: 'write_file', raw: '{"path": "a' },
      { name: 'write_file', raw: '["a"]' },
      { name: 'write_file', arguments: { path: 7, text: {} } },
      { name: 'write_file', arguments: { path: 'ok', text: 'ok', mode: 0o4755 } },
      { name: 'list_files', arguments: { globs: ['*a'.repeat(400)] } },
    )
    const answer = await generate()
    expect(answer.structured, answer.text).toMatchObject({ changes: [] })
    const told = toldBy(llm)
    expect(told.map((text) => text.slice(0, 20))).toEqual([
      expect.stringContaining('There is no tool'),
      expect.stringContaining('There is no tool'),
      expect.stringContaining('The arguments of'),
      expect.stringContaining('The arguments of'),
      expect.stringContaining('The arguments of'),
      expect.stringContaining('The arguments of'),
      expect.anything(),
    ])
  })

  test('that never stops is stopped by its steps, and nothing of it is kept', async () => {
    const { workspace, llm } = place
    let step = 0
    llm.script = () => ({ toolCalls: [{ name: 'write_file', arguments: { path: `f${++step}`, text: 'x' } }] })
    const answer = await generate('Go on forever.', { options: { max_steps: 500, timeout_ms: 86_400_000 } })
    expect(answer.text).toContain('LIMIT_REACHED')
    expect(step).toBe(5)
    expect((await readdir(workspace)).filter((name) => /^f\d/.test(name))).toEqual([])
  })

  test('that talks without end is stopped', async () => {
    place.llm.script = () => ({ text: 'blah'.repeat(4_500_000) })
    expect((await generate('Talk.')).text).toContain('is longer than')
  })
})

describe('a hostile workspace', () => {
  test('has pipes, devices and second names of files outside, and none of them is read', async () => {
    const { workspace, outside, llm } = place
    await writeFile(join(outside, 'passwd'), 'root:canary:0')
    await link(join(outside, 'passwd'), join(workspace, 'second-name'))
    execFileSync('mkfifo', [join(workspace, 'pipe')])
    await symlink('/dev/zero', join(workspace, 'zero'))
    await symlink('loop', join(workspace, 'loop'))
    const names = ['second-name', 'pipe', 'zero', 'loop']
    llm.script = calls(...names.map((path) => ({ name: 'read_file', arguments: { path } })))
    await generate()
    expect(toldBy(llm)).toHaveLength(4)
    expect(toldBy(llm).join()).not.toContain('canary')
    const search = await place.call(coder, { tool: 'search.code', args: { query: 'canary' } })
    expect(search.structured, search.text).toMatchObject({ total_matches: 0 })
    // Writing to the second name leaves the first as it is.
    llm.script = calls({ name: 'write_file', arguments: { path: 'second-name', text: 'evil' } })
    await generate()
    expect(await readFile(join(outside, 'passwd'), 'utf8')).toBe('root:canary:0')
    for (const name of names) await rm(join(workspace, name))
  })

  test('whose .gitignore is a bomb is searched all the same', async () => {
    const folder = join(place.workspace, 'bomb')
    await mkdir(folder)
    await writeFile(join(folder, '.gitignore'), Array.from({ length: 7000 }, (_, index) => `*a*b${index}`).join('\n'))
    for (let index = 0; index < 60; index++) await writeFile(join(folder, 'a'.repeat(190 + index)), 'needle')
    const found = await place.call(coder, { tool: 'search.code', args: { query: 'needle', cwd: 'bomb' } })
    expect(found.structured, found.text).toMatchObject({ total_matches: 60 })
    const path_globs = Array.from({ length: 4 }, () => '*a'.repeat(400))
    const refused = await place.call(coder, { tool: 'search.code', args: { query: 'needle', path_globs } })
    expect(refused.text).toContain('wildcards together')
    await rm(folder, { recursive: true })
  })

  test('has files named like options, which are no options of the test runner', async () => {
    const { workspace } = place
    await writeFile(join(workspace, '--import=data:text,process.exit(7)'), '')
    for (const path of ['--import=data:text,process.exit(7)', '--test-reporter=evil'])
      expect((await place.call(coder, { tool: 'tests.run', args: { paths: [path] } })).text).toContain(
        "begins with '-'",
      )
    await rm(join(workspace, '--import=data:text,process.exit(7)'))
  })
})

describe('hostile tests', () => {
  const run = (args: Record<string, unknown> = {}) => place.call(coder, { tool: 'tests.run', args })
  const write = (code: string) =>
    writeFile(
      join(place.workspace, 'evil.test.js'),
      `import test from 'node:test'\nimport { spawn } from 'node:child_process'\nimport fs from 'node:fs'\n${code}\n`,
    )
  afterEach(() => rm(join(place.workspace, 'evil.test.js'), { force: true }))

  test('find no variable of the hub in their environment', async () => {
    process.env['HERMA_CANARY_VARIABLE'] = 'canary-of-the-hub'
    await write(`test('looks', () => { throw new Error(JSON.stringify(process.env)) })`)
    const answer = await run()
    delete process.env['HERMA_CANARY_VARIABLE']
    expect(answer.structured, answer.text).toMatchObject({ counts: { failed: 1 } })
    expect(answer.text).not.toContain('canary-of-the-hub')
    expect(answer.text).not.toContain('DATABASE_URL')
  })

  test('leave no process behind: not one of another session, nor one that heeds no signal', async () => {
    const marker = join(place.outside, 'daemon.pid')
    const daemon = `process.on('SIGTERM',()=>{});require('fs').writeFileSync(${JSON.stringify(marker)},String(process.pid));setInterval(()=>{},1000)`
    // The first child starts the second in a session of its own and leaves: nothing ties it to the tests any more.
    const parent = `require('child_process').spawn(process.execPath,['-e',${JSON.stringify(daemon)}],{detached:true,stdio:'ignore'}).unref()`
    await write(`test('flees', async () => {
      spawn(process.execPath, ['-e', ${JSON.stringify(parent)}], { detached: true, stdio: 'ignore' }).unref()
      while (!fs.existsSync(${JSON.stringify(marker)})) await new Promise((r) => setTimeout(r, 20))
    })`)
    const answer = await run()
    expect(answer.structured, answer.text).toMatchObject({ ok: true })
    const pid = Number(await readFile(marker, 'utf8'))
    expect(isAlive(pid)).toBe(false)
  }, 60_000)

  test('print and report as much as they like, and the hub goes on answering', async () => {
    await write(`test('floods', () => {
      const report = process.argv.concat(process.execArgv, fs.readFileSync('/proc/' + process.ppid + '/cmdline', 'utf8').split('\\0'))
        .map((word) => /destination=(.+\\.xml)$/.exec(word)?.[1]).find(Boolean)
      const chunk = 'x'.repeat(1 << 20)
      for (let i = 0; i < 64; i++) fs.writeSync(1, chunk)
      fs.writeSync(1, '\\r'.repeat(1 << 20) + 'x\\n')
      setTimeout(() => {}, 100)
      process.on('exit', () => fs.writeFileSync(report, '<a '.repeat(400000)))
    })`)
    const answer = await run({ options: { timeout_ms: 60_000 } })
    expect(answer.status).toBe(200)
    expect(String(answer.structured['output']).length, answer.text.slice(0, 2000)).toBeLessThan(70_000)
    expect((await place.hub.api('GET', '/api/sessions/coder')).status).toBe(200)
  }, 90_000)

  test('that hang are ended in time', async () => {
    await write(`test('hangs', () => { process.on('SIGTERM', () => {}); for (;;); })`)
    const answer = await run({ options: { timeout_ms: 1500 } })
    expect(answer.structured, answer.text).toMatchObject({ timed_out: true, ok: false })
  }, 60_000)

  // What nobody can promise: tests are programs of the user of the hub. The guide says so, and this says when it changes.
  // What they do not see, the state of the hub, is in isolation-programs.test.ts.
  test('can read what the user of the hub can read', async () => {
    const file = join(place.outside, 'private')
    await writeFile(file, 'mine', { mode: 0o600 })
    await write(`test('reads', () => { if (fs.readFileSync(${JSON.stringify(file)}, 'utf8') === '') throw 1 })`)
    expect((await run()).structured).toMatchObject({ ok: true })
  })

  test('are not run by a model whose session forbids it', async () => {
    const { addSession, llm, hub } = place
    await addSession({ name: 'careful', tools: { deny: ['run_tests'] } })
    llm.script = calls({ name: 'run_tests', arguments: {} })
    const args = { spec: 'Test it.' }
    await place.call('/api/mcp/sessions/careful/stream', { tool: 'code.generate', args })
    expect(toldBy(llm)).toEqual([expect.stringContaining("There is no tool 'run_tests'")])
    await succeed(hub, 'DELETE', '/api/sessions/careful')
  })
})

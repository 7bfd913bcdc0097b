import { spawnSync } from 'node:child_process'
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createTemporaryHome } from '../testing/temporary-home.ts'
import { findHiding, type Hiding, type Shown } from './find-hiding.ts'

async function prepare(uid: number) {
  const home = await createTemporaryHome()
  onTestFinished(() => home.remove())
  const state = join(home.path, 'state')
  await mkdir(join(state, 'inner'), { recursive: true })
  for (const path of ['state/token', 'key', 'other']) await writeFile(join(home.path, path), 'gold')
  await chmod(home.path, 0o777)
  if (process.getuid?.() === 0) await chown(state, uid, uid)
  return { home: home.path, state, key: join(home.path, 'key'), other: join(home.path, 'other') }
}

function run(hiding: Hiding, script: string, { shown, ...user }: { shown?: Shown; uid?: number; gid?: number } = {}) {
  if (hiding.way === null) throw new Error(hiding.why)
  const [command = '', ...args] = hiding.wrap({ command: '/bin/sh', args: ['-c', script], workingDir: '/tmp', shown })
  return spawnSync(command, args, { encoding: 'utf8', cwd: '/', ...user })
}

function isMissing(hiding: Hiding, what: string): hiding is Extract<Hiding, { way: null }> {
  if (hiding.way === null) process.stderr.write(`COULD NOT RUN: ${what}, because ${hiding.why}.\n`)
  return hiding.way === null
}

test('folders and files are empty to the process, and everything else is as it was', async () => {
  const { state, key, other } = await prepare(0)
  const hiding = await findHiding([state, key, join(state, 'inner')])
  if (isMissing(hiding, 'hiding the state of the hub')) return
  onTestFinished(() => hiding.close?.())
  const { stdout } = run(hiding, `ls -A '${state}'; cat '${key}'; echo "[$(cat '${other}')]"; pwd; exit 3`)
  expect(stdout).toBe('[gold]\n/tmp\n')
  expect(run(hiding, 'exit 3').status).toBe(3)
  expect(run(hiding, `echo x > '${state}/new'`).status).not.toBe(0)
})

/** Two folders in the state, each with a file; the first is to be seen. */
async function prepareShown(state: string, uid: number): Promise<Shown> {
  for (const name of ['work/mine, too', 'work/other']) {
    await mkdir(join(state, name), { recursive: true })
    await writeFile(join(state, name, 'file'), name)
    if (process.getuid?.() === 0) await chown(join(state, name), uid, uid)
  }
  return { within: state, folders: [join(state, 'work/mine, too')] }
}

/** It works in its folder, and finds nothing else on any way that is left open. */
function lookAround({ within, folders: [mine = ''] }: Shown): string {
  return `cat '${mine}/file'; echo written > '${mine}/new'; ls -A '${within}' '${within}/work'; cat '${within}/token' '${within}/work/other/file' 2>&1 | grep -c 'No such'; cat '${mine}/../../token'; touch '${within}/x' && echo touched; ls -A /proc/self/fd/3/ 2> /dev/null; env | grep herma_`
}

const seen = (state: string) => `work/mine, too${state}:\nwork\n\n${state}/work:\nmine, too\n2\n`

test('a folder in the state is shown where it is wanted, and nothing beside it', async () => {
  const { state } = await prepare(0)
  const shown = await prepareShown(state, 0)
  const hiding = await findHiding([state])
  if (isMissing(hiding, 'showing a folder of the hidden state')) return
  onTestFinished(() => hiding.close?.())
  expect(run(hiding, lookAround(shown), { shown }).stdout).toBe(seen(state))
  expect(await readFile(join(state, 'work/mine, too/new'), 'utf8')).toBe('written\n')
})

test.runIf(process.getuid?.() === 0)('… also by a hub that is not root', async () => {
  const { state } = await prepare(12_345)
  const shown = await prepareShown(state, 12_345)
  vi.spyOn(process, 'getuid').mockReturnValue(12_345)
  const hiding = await findHiding([state])
  vi.restoreAllMocks()
  if (isMissing(hiding, 'showing a folder where the hub is not root')) return
  expect(run(hiding, lookAround(shown), { shown, uid: 12_345, gid: 12_345 }).stdout).toBe(seen(state))
})

test.runIf(process.getuid?.() === 0)(
  'a hub that is not root hides it too, and the server stays who it was',
  async () => {
    const { state } = await prepare(12_345)
    vi.spyOn(process, 'getuid').mockReturnValue(12_345)
    const hiding = await findHiding([state])
    vi.restoreAllMocks()
    if (isMissing(hiding, 'hiding the state of a hub that is not root')) return
    expect(hiding.way).toBe('user')
    const { stdout, stderr } = run(hiding, `id -u; ls -A '${state}'; umount '${state}'; cat '${state}/token'`, {
      uid: 12_345,
      gid: 12_345,
    })
    expect(stdout).toBe('12345\n')
    expect(stderr).toContain('No such file')
  },
)

test('where the tools are missing it says so', async () => {
  const { state } = await prepare(0)
  vi.stubEnv('PATH', '/nowhere')
  const hiding = await findHiding([state])
  vi.unstubAllEnvs()
  expect(hiding).toMatchObject({ way: null })
})

import { execFileSync } from 'node:child_process'
import { chmod, link, lstat, mkdir, readdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeTestFolder, readTree, silentLog, writeTree } from '../testing/test-folder.ts'
import { sweepFolder } from './remove-tree.ts'
import { openWorkingCopy, type WorkingCopyOptions } from './working-copy.ts'

const never = new AbortController().signal

async function copyOf(files: Record<string, string>, options: Partial<WorkingCopyOptions> = {}) {
  const [cwd, folder] = [await makeTestFolder(files), await makeTestFolder()]
  return { cwd, folder, ...(await openCopy(cwd, folder, options)) }
}

async function openCopy(cwd: string, folder: string, options: Partial<WorkingCopyOptions> = {}) {
  const limits = { files: 1000, bytes: 1_000_000 }
  const copy = await openWorkingCopy({ cwd, folder, isDenied: () => false, limits, signal: never, ...options })
  onTestFinished(() => copy.dispose())
  /** `+ path text`, `~` for modified, `-` for removed, `! path reason`; `?` behind the path when it is stale. */
  const changes = async () => {
    const lines: string[] = []
    for await (const change of copy.changes(never)) {
      const stale = change.kind !== 'refused' && change.isStale ? '?' : ''
      const rest = 'bytes' in change ? change.bytes.toString() : 'because' in change ? change.because : ''
      const sign = { added: '+', modified: '~', removed: '-', refused: '!' }[change.kind]
      lines.push(`${sign} ${change.path}${stale} ${rest}`.trimEnd())
    }
    return lines
  }
  return { copy, changes }
}

test('a copy has the files with their permissions, and an unchanged one has no changes', async () => {
  const { cwd, copy, changes, folder } = await copyOf({ 'a.txt': 'a', 'deep/er/b.sh': 'b', '.hidden': 'c' })
  expect(await readTree(copy.path)).toEqual(await readTree(cwd))
  expect(((await lstat(folder)).mode & 0o777) | 0o700).toBe(0o711)
  expect(await changes()).toEqual([])
  expect(copy.leftOut).toEqual([])
  await copy.dispose()
  expect(await readdir(folder)).toEqual([])
})

test('what a program changes is told, and the workspace stays as it is', async () => {
  const { cwd, copy, changes } = await copyOf({ keep: '1', edit: '2', 'gone/a': '3', move: '4', same: '5' })
  const before = await readTree(cwd)
  await writeTree(copy.path, { edit: 'new', 'fresh/b': 'x', same: '5' })
  await rm(join(copy.path, 'gone'), { recursive: true })
  await rename(join(copy.path, 'move'), join(copy.path, 'moved'))
  expect(await changes()).toEqual(['- gone/a', '- move', '~ edit new', '+ moved 4', '+ fresh/b x'])
  expect(await readTree(cwd)).toEqual(before)
})

test('a change that keeps size and time is found, a touch is none, and a file can become a folder', async () => {
  const { copy, changes } = await copyOf({ a: 'one', b: 'two', c: 'three' })
  const past = new Date(0)
  await writeFile(join(copy.path, 'a'), 'eno')
  await utimes(join(copy.path, 'a'), past, past)
  await utimes(join(copy.path, 'b'), past, past)
  await rm(join(copy.path, 'c'))
  await writeTree(copy.path, { 'c/d': 'four' })
  expect(await changes()).toEqual(['- c', '~ a eno', '+ c/d four'])
})

test('a change of what somebody else changed meanwhile is stale', async () => {
  const { cwd, copy, changes } = await copyOf({ a: '1', b: '2', c: '3' })
  await writeTree(cwd, { a: 'theirs', b: 'theirs', new: 'theirs' })
  await writeTree(copy.path, { a: 'ours', new: 'ours', c: 'ours' })
  await rm(join(copy.path, 'b'))
  expect(await changes()).toEqual(['- b?', '~ a? ours', '~ c ours', '+ new? ours'])
})

test('links, pipes and second names that a program makes are refused, wherever they lead', async () => {
  const outside = await makeTestFolder({ secret: 'hunter2', 'src/a': 'hunter2' })
  const { copy, changes } = await copyOf({ 'src/a': '1', 'lib/b': '2', plain: '3' })
  await rm(join(copy.path, 'src'), { recursive: true })
  await symlink(join(outside, 'src'), join(copy.path, 'src'))
  await symlink('plain', join(copy.path, 'inner'))
  await rm(join(copy.path, 'plain'))
  await symlink(join(outside, 'secret'), join(copy.path, 'plain'))
  await link(join(outside, 'secret'), join(copy.path, 'lib/second'))
  execFileSync('mkfifo', [join(copy.path, 'pipe')])
  expect(await changes()).toEqual([
    '! inner it is a new link',
    '! plain it is a new link',
    '! src it is a new link',
    '! pipe it is a pipe, a socket or a device',
    '! lib/second it is too large, or has a second name',
  ])
})

test('what is denied is not in the copy, and a new file of that name is told to who decides', async () => {
  const isDenied = (path: string) => path.split('/').some((name) => name === '.env' || name === 'vault')
  const { copy, changes } = await copyOf({ a: '1', '.env': 'hunter2', 'vault/b': 'hunter2' }, { isDenied })
  expect(await readTree(copy.path)).toEqual({ a: '1' })
  await writeTree(copy.path, { '.env': 'mine' })
  expect(await changes()).toEqual(['+ .env? mine'])
})

test('dependencies and history are copied when there is room, never linked, and their changes stay in the copy', async () => {
  const files = {
    '.gitignore': 'dist/\n.local',
    '.local': 'settings',
    'a.ts': '1',
    'dist/a.js': '2',
    '.git/HEAD': 'ref',
    'node_modules/.bin/x.sh': '',
    'node_modules/big/node_modules/deep.js': '3',
  }
  const { cwd, copy, changes } = await copyOf(files)
  expect(await readTree(copy.path)).toEqual(await readTree(cwd))
  await writeTree(copy.path, { 'dist/a.js': 'built', '.git/HEAD': 'moved', 'node_modules/new.js': '', '.local': 'new' })
  expect(await changes()).toEqual(['~ .local new'])
  const small = await openCopy(cwd, await makeTestFolder(), { limits: { files: 5, bytes: 1000 } })
  expect(Object.keys(await readTree(small.copy.path))).toEqual([
    '.git/HEAD',
    '.gitignore',
    '.local',
    'a.ts',
    'dist/a.js',
  ])
  expect(small.copy.leftOut).toEqual([{ path: 'node_modules', because: 'there was no room for it within the limits' }])
})

test('a rule that the program adds to .gitignore hides new files only', async () => {
  const { copy, changes } = await copyOf({ 'src/a': '1', 'src/b': '2' })
  await writeTree(copy.path, { '.gitignore': 'src/\nout/', 'src/a': 'new', 'out/c': 'built' })
  expect(await changes()).toEqual(['+ .gitignore src/\nout/', '~ src/a new'])
})

test('a mark of tools that the program makes hides nothing that was there, and a folder with one is copied', async () => {
  const files = { 'src/a': '1', 'src/b': '2', 'cache/CACHEDIR.TAG': '', 'cache/c': '3' }
  const { cwd, copy, changes } = await copyOf(files)
  expect(await readTree(copy.path)).toEqual(await readTree(cwd))
  await writeTree(copy.path, { 'src/CACHEDIR.TAG': '', 'src/a': 'new', 'cache/c': 'built' })
  expect(await changes()).toEqual(['+ src/CACHEDIR.TAG', '~ src/a new'])
})

test('links of the workspace are copied when they stay inside, and others are named', async () => {
  const cwd = await makeTestFolder({ 'a/b': '1' })
  await symlink('a/b', join(cwd, 'inner'))
  await symlink('../..', join(cwd, 'a/out'))
  await symlink(join(cwd, 'a'), join(cwd, 'absolute'))
  await writeFile(join(cwd, '.git'), 'gitdir: ../elsewhere')
  const { copy, changes } = await openCopy(cwd, await makeTestFolder())
  expect((await readdir(copy.path)).toSorted()).toEqual(['a', 'inner'])
  expect(copy.leftOut.map(({ path }) => path).toSorted()).toEqual(['.git', 'a/out', 'absolute'])
  expect(await changes()).toEqual([])
})

test('a workspace that is too large, and a cancelled copy, leave nothing behind', async () => {
  const [cwd, folder] = [await makeTestFolder({ a: '1', 'b/c': '22' }), await makeTestFolder()]
  for (const limits of [
    { files: 1, bytes: 100 },
    { files: 100, bytes: 2 },
  ]) {
    await expect(openCopy(cwd, folder, { limits })).rejects.toMatchObject({ code: 'WORKSPACE_TOO_LARGE' })
  }
  const cancel = new AbortController()
  const isDenied = (path: string) => {
    if (path === 'b/c') cancel.abort(new Error('enough'))
    return false
  }
  await expect(openCopy(cwd, folder, { isDenied, signal: cancel.signal })).rejects.toThrow('enough')
  expect(await readdir(folder)).toEqual([])
})

test('more changes than the limits allow are an error', async () => {
  const { copy, changes } = await copyOf({ a: '1' }, { limits: { files: 2, bytes: 1000 } })
  await writeTree(copy.path, { b: '2', c: '3', d: '4' })
  await expect(changes()).rejects.toThrow('The program changed more than 2 files or 1000 bytes.')
})

test('what a crash left is swept', async () => {
  const { folder, copy } = await copyOf({ a: '1' })
  await mkdir(join(copy.path, 'locked'))
  await writeFile(join(copy.path, 'locked/b'), '')
  await chmod(join(copy.path, 'locked'), 0o500)
  await sweepFolder(folder, silentLog)
  expect(await readdir(folder)).toEqual([])
  await sweepFolder(join(folder, 'never-made'), silentLog)
})

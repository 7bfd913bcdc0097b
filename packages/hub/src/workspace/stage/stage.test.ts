import { execFileSync } from 'node:child_process'
import { chown, chmod, link, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CommitJournal } from '../commit/commit-journal.ts'
import { openWorkspace } from '../open-workspace.ts'
import { createFaultyDisk, type Faults } from '../testing/faulty-disk.ts'
import { listFolders, makeTestFolder, readTree, silentLog, writeTree } from '../testing/test-folder.ts'
import { Stage } from './stage.ts'
import { StageFigures } from './stage-figures.ts'
import type { StageLimits } from './staged-files.ts'

const files = { 'a.txt': 'one\ntwo\nthree\n', 'src/b.ts': 'b\n', 'run.sh': 'echo\n' }

async function openStage(options: { limits?: Partial<StageLimits>; faults?: Faults } = {}) {
  const home = await makeTestFolder()
  const project = join(home, 'project')
  await mkdir(project)
  await writeTree(project, files)
  const workspace = await openWorkspace({ defaultCwd: project, policy: { roots: [] }, onViolation: () => {} })
  const figures = new StageFigures()
  const folder = join(home, 'journal')
  const journal = new CommitJournal({ folder, log: silentLog, disk: createFaultyDisk(options.faults) })
  const newStage = () => new Stage(workspace, { journal, figures, limits: options.limits })
  return { home, project, folder, figures, journal, newStage, stage: newStage() }
}

async function collect(paths: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = []
  for await (const path of paths) all.push(path)
  return all
}

test('whoever reads the stage sees the changes, the disk sees them after the commit', async () => {
  const { project, folder, figures, stage } = await openStage()
  const before = await readTree(project)
  await stage.write('a.txt', 'one\nTWO\nthree\n')
  await stage.write('new/deep/c.ts', 'c\n')
  await stage.rename('run.sh', 'bin/run')
  await stage.remove('src/b.ts')
  await stage.write('passing.txt', 'gone again')
  await stage.remove('passing.txt')
  expect(await stage.readText('a.txt')).toBe('one\nTWO\nthree\n')
  expect(await stage.readText('bin/run')).toBe('echo\n')
  await expect(stage.readText('src/b.ts')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
  expect([await stage.exists('new/deep'), await stage.exists('run.sh'), await stage.exists('src')]).toEqual([
    true,
    false,
    true,
  ])
  expect((await stage.list()).entries.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
    'file a.txt',
    'folder bin',
    'folder new',
    'folder src',
  ])
  expect((await stage.list('new')).entries).toEqual([{ name: 'deep', path: 'new/deep', kind: 'folder' }])
  expect(await collect(stage.walk())).toEqual(['a.txt', 'bin/run', 'new/deep/c.ts'])
  expect(await collect(stage.walk({ include: ['*.ts'], limit: 1 }))).toEqual(['new/deep/c.ts'])
  expect(await readTree(project)).toEqual(before)
  expect(figures).toMatchObject({ stages: 1 })
  expect(figures.stagedBytes).toBeGreaterThan(0)

  const { id, changes } = await stage.commit()
  expect(id).toMatch(/^[0-9a-f]{16}$/)
  expect(changes.map(({ path, kind, bytesBefore, bytesAfter }) => [path, kind, bytesBefore, bytesAfter])).toEqual([
    ['a.txt', 'modified', 14, 14],
    ['bin/run', 'added', 0, 5],
    ['new/deep/c.ts', 'added', 0, 2],
    ['run.sh', 'removed', 5, 0],
    ['src/b.ts', 'removed', 2, 0],
  ])
  expect(await readTree(project)).toEqual({
    'a.txt': 'one\nTWO\nthree\n',
    'bin/run': '#!echo\n',
    'new/deep/c.ts': 'c\n',
  })
  expect(await readdir(folder)).toEqual([])
  expect([figures.stages, figures.stagedBytes]).toEqual([0, 0])
  expect(await stage.commit()).toEqual({ id: '', changes: [] })
})

test('the diff is one that git applies', async () => {
  const { home, project, stage } = await openStage()
  const copy = join(home, 'copy')
  execFileSync('cp', ['-r', project, copy])
  await stage.write('a.txt', 'zero\none\nthree')
  await stage.write('new.txt', 'new\n')
  await stage.remove('src/b.ts')
  const diff = await stage.diff()
  expect(diff).toContain('--- a/a.txt\n+++ b/a.txt\n@@')
  expect(diff).toContain('--- /dev/null\n+++ b/new.txt\n@@')
  execFileSync('git', ['apply', '-'], { cwd: copy, input: diff })
  await stage.commit()
  expect(await readTree(copy)).toEqual(await readTree(project))
})

test('a diff names what it cannot show, and ends with a note when it is long', async () => {
  const { stage } = await openStage()
  await stage.write('a.bin', Buffer.from([0, 1, 2]))
  await stage.write('b.bin', Buffer.from([0xff, 0xfe]))
  await stage.write('c.txt', Array.from({ length: 10_000 }, (_, line) => `${line}\n`).join(''))
  await stage.write('d.txt', 'd\n')
  const diff = await stage.diff(400)
  expect(diff).toContain('Binary files /dev/null and b/a.bin differ\nBinary files /dev/null and b/b.bin differ\n')
  expect(diff).toContain('Files /dev/null and b/c.txt differ too much to be shown (0 and 48890 bytes)\n')
  expect(await stage.diff(100)).toMatch(/\(2 more files are not shown\)\n$/)
})

test('permissions and owners are kept, new files may be executable', async () => {
  const { project, stage } = await openStage()
  await chmod(join(project, 'a.txt'), 0o604)
  // Only root may give files away.
  const isRoot = process.getuid?.() === 0
  if (isRoot) await chown(join(project, 'a.txt'), 1234, 2345)
  const { uid, gid } = await stat(join(project, 'a.txt'))
  await stage.write('a.txt', 'other')
  await stage.write('start', '#!/bin/sh\n', { executable: true })
  await stage.commit()
  const kept = await stat(join(project, 'a.txt'))
  expect(kept.mode & 0o777).toBe(0o604)
  expect([kept.uid, kept.gid]).toEqual(isRoot ? [1234, 2345] : [uid, gid])
  expect((await stat(join(project, 'start'))).mode & 0o777).toBe(0o755)
})

test('what somebody else changed meanwhile is a conflict that names the files, and nothing is applied', async () => {
  const { project, folder, figures, stage } = await openStage()
  const changes: [string, () => Promise<unknown>][] = [
    ['a.txt', () => writeFile(join(project, 'a.txt'), 'theirs')],
    ['src/b.ts', () => rm(join(project, 'src/b.ts'))],
    ['x/new.txt', () => writeTree(project, { 'x/new.txt': 'theirs' })],
    ['run.sh', () => rm(join(project, 'run.sh')).then(() => mkdir(join(project, 'run.sh')))],
  ]
  await stage.write('a.txt', 'ours')
  await stage.remove('src/b.ts')
  await stage.write('x/new.txt', 'ours')
  await stage.write('run.sh', 'ours')
  await stage.write('other/fine.txt', 'ours')
  for (const [, change] of changes) await change()
  const before = [await readTree(project), await listFolders(project)]
  await expect(stage.commit()).rejects.toMatchObject({
    code: 'WORKSPACE_CONFLICT',
    data: { paths: ['a.txt', 'run.sh', 'src/b.ts', 'x/new.txt'] },
  })
  expect([await readTree(project), await listFolders(project), await readdir(folder)]).toEqual([...before, []])
  expect(stage.changes()).toHaveLength(5)
  await stage.discard()
  expect(stage.changes()).toEqual([])
  expect([figures.stages, figures.stagedBytes]).toEqual([0, 0])
})

test('a file that changes after it was prepared is a conflict, too, and what was applied goes back', async () => {
  let strike = async () => {}
  const { project, folder, stage } = await openStage({
    faults: { onStep: (_, name, path) => (name === 'rename' && path.endsWith('/a.txt') ? strike() : undefined) },
  })
  strike = () => writeFile(join(project, 'src/b.ts'), 'theirs')
  await stage.write('a.txt', 'ours')
  await stage.write('src/b.ts', 'ours')
  await expect(stage.commit()).rejects.toMatchObject({ code: 'WORKSPACE_CONFLICT', data: { paths: ['src/b.ts'] } })
  expect(await readTree(project)).toEqual({ 'a.txt': files['a.txt'], 'run.sh': '#!echo\n', 'src/b.ts': 'theirs' })
  expect(await readdir(folder)).toEqual([])
})

test('a full disk is told in words, and the workspace is as before', async () => {
  const { project, stage } = await openStage({ faults: { failAt: 5 } })
  const before = await readTree(project)
  await stage.write('a.txt', 'ours')
  await stage.write('src/b.ts', 'ours')
  await expect(stage.commit()).rejects.toMatchObject({
    code: 'COMMIT_FAILED',
    message: 'Nothing was applied: the disk is full. Mend that, then commit again.',
  })
  expect(await readTree(project)).toEqual(before)
  await stage.commit()
  expect(await readTree(project)).toMatchObject({ 'a.txt': 'ours', 'src/b.ts': 'ours' })
})

test('a stage has limits, and so have all stages together', async () => {
  const { newStage } = await openStage({ limits: { maxFiles: 2, maxBytes: 100, maxTotalBytes: 150 } })
  const stage = newStage()
  await stage.write('a.txt', 'x')
  await stage.write('b.txt', 'x'.repeat(70))
  await stage.write('b.txt', 'x'.repeat(72))
  await expect(stage.write('b.txt', 'x'.repeat(90))).rejects.toMatchObject({ code: 'STAGE_FULL' })
  await expect(stage.write('c.txt', '')).rejects.toMatchObject({ code: 'STAGE_FULL' })
  const other = newStage()
  await expect(other.write('d.txt', 'x'.repeat(80))).rejects.toMatchObject({ code: 'OVERLOADED' })
  await stage.discard()
  await other.write('d.txt', 'x'.repeat(80))
})

test('what cannot be staged is refused at once: links, folders, denied names, a file under a file', async () => {
  const { home, project, stage } = await openStage()
  await writeFile(join(home, 'secret'), 'secret')
  await symlink('a.txt', join(project, 'alias'))
  await symlink('src', join(project, 'inner'))
  await link(join(home, 'secret'), join(project, 'hard'))
  for (const path of ['../x', 'alias', 'hard', '.git/hooks/x', '.env', '.herma-stage-1-1', 'src/.herma-stage-x']) {
    await expect(stage.write(path, ''), path).rejects.toMatchObject({ code: 'PATH_REFUSED' })
    await expect(stage.remove(path), path).rejects.toMatchObject({ code: 'PATH_REFUSED' })
    await expect(stage.rename('a.txt', path), path).rejects.toMatchObject({ code: 'PATH_REFUSED' })
  }
  await expect(stage.write('src', '')).rejects.toThrow("'src' is a folder")
  await expect(stage.write('a.txt/x', '')).rejects.toThrow("'a.txt' is a file, so there is no room for 'a.txt/x'")
  await expect(stage.remove('nothing')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
  await expect(stage.rename('a.txt', 'run.sh')).rejects.toThrow("'run.sh' exists")
  expect(stage.changes()).toEqual([])
  await stage.write('inner/new.ts', 'n')
  await stage.write('x/y', '')
  await expect(stage.write('x', '')).rejects.toThrow("'x' is a folder of staged files")
  await expect(stage.write('x/y/z', '')).rejects.toThrow("'x/y' is a file")
  await stage.commit()
  expect(await readTree(join(project, 'src'))).toEqual({ 'b.ts': 'b\n', 'new.ts': 'n' })
})

test('parallel commits come one after the other, and the second to change a file is refused', async () => {
  const { project, newStage } = await openStage()
  const stages = Array.from({ length: 6 }, newStage)
  await Promise.all(
    stages.map((stage, index) => Promise.all([stage.write('a.txt', `${index}`), stage.write(`f${index}`, '')])),
  )
  const results = await Promise.allSettled(stages.map((stage) => stage.commit()))
  const winner = results.findIndex(({ status }) => status === 'fulfilled')
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await readTree(project)).toMatchObject({ 'a.txt': `${winner}`, [`f${winner}`]: '' })
  expect((await readdir(project)).filter((name) => name.startsWith('f'))).toEqual([`f${winner}`])
})

import { execFileSync } from 'node:child_process'
import { link, mkdir, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { explainPath } from './path/explain-path.ts'
import { openFolder } from './folder.ts'
import type { PathRefusal } from './path/locate-path.ts'
import { openWorkspace, type WorkspaceOptions } from './open-workspace.ts'
import type { PathPolicy } from './path/path-policy.ts'
import { makeTestFolder } from './testing/test-folder.ts'

const everywhere: PathPolicy = { roots: [] }

/** A project with a secret beside it, and everything that leads there. */
async function makeTrap(): Promise<{ home: string; project: string }> {
  const home = await makeTestFolder({
    'secret.txt': 'secret',
    'project-other/a.txt': 'other',
    'project/a.txt': 'a',
    'project/src/b.ts': 'b',
    'project/src/deep/c.ts': 'c',
    'project/.git/config': 'token',
    'project/.git/HEAD': 'ref',
    'project/.env': 'KEY=1',
    'project/pkg/.Env.Local': 'KEY=2',
    'project/certs/server.PEM': 'pem',
    'project/.ssh/known_hosts': 'host',
    'project/.herma-stage-0-1': 'draft',
  })
  const project = join(home, 'project')
  await symlink('../secret.txt', join(project, 'link-out'))
  await symlink('..', join(project, 'up'))
  await symlink('src', join(project, 'link-in'))
  await symlink('../nowhere', join(project, 'dangling'))
  await symlink('loop', join(project, 'loop'))
  await symlink('.env', join(project, 'innocent.txt'))
  await link(join(home, 'secret.txt'), join(project, 'hard'))
  execFileSync('mkfifo', [join(project, 'fifo')])
  return { home, project }
}

async function openTrap(options: Partial<WorkspaceOptions> = {}) {
  const { home, project } = await makeTrap()
  const refusals: PathRefusal[] = []
  const workspace = await openWorkspace({
    defaultCwd: project,
    policy: everywhere,
    onViolation: (refusal) => void refusals.push(refusal),
    ...options,
  })
  return { home, project, refusals, workspace }
}

const refused = (reason: string) =>
  expect.objectContaining({ code: 'PATH_REFUSED', data: expect.objectContaining({ reason }) })

test('no way of writing a path leads out of the roots, and each try is told', async () => {
  const { home, refusals, workspace } = await openTrap()
  const tries: [string, string][] = [
    ['../secret.txt', 'outside'],
    ['src/../../secret.txt', 'outside'],
    ['../nothing/at/all', 'outside'],
    [join(home, 'secret.txt'), 'outside'],
    [join(home, 'project-other/a.txt'), 'outside'],
    ['/etc/passwd', 'outside'],
    ['/dev/null', 'outside'],
    ['link-out', 'outside'],
    ['up/secret.txt', 'outside'],
    ['link-in/../../secret.txt', 'outside'],
    ['up/project/../secret.txt', 'outside'],
    ['dangling', 'link'],
    ['dangling/x', 'link'],
    ['loop', 'link'],
    ['loop/x', 'link'],
    ['a.txt\0.png', 'malformed'],
    ['', 'malformed'],
    ['a/'.repeat(3000), 'malformed'],
    ['hard', 'hard-link'],
    ['fifo', 'special'],
    ['.env', 'denied'],
    ['.ENV', 'denied'],
    ['innocent.txt', 'denied'],
    ['pkg/.Env.Local', 'denied'],
    ['certs/server.PEM', 'denied'],
    ['.ssh/known_hosts', 'denied'],
    ['.git/config', 'denied'],
    ['src/../.git/config', 'denied'],
    ['.herma-stage-0-1', 'denied'],
  ]
  for (const [path, reason] of tries) {
    await expect(workspace.readBytes(path), path).rejects.toEqual(refused(reason))
    expect(refusals.pop(), path).toMatchObject({ path, reason })
  }
  for (const path of ['new/../../x', 'up/x', 'dangling', '.git/hooks/pre-commit', 'src/.GIT/x', 'src/.g\u200Cit/x']) {
    await expect(workspace.locate(path, 'write'), path).rejects.toMatchObject({ code: 'PATH_REFUSED' })
  }
  await expect(workspace.list('up')).rejects.toEqual(refused('outside'))
  await expect(workspace.stat('link-out')).rejects.toEqual(refused('outside'))
  expect(refusals).toHaveLength(8)
})

test('an error says what was refused, why, and what to do', async () => {
  const { project, workspace } = await openTrap()
  await expect(workspace.readText('../secret.txt')).rejects.toThrow(
    `'../secret.txt' is refused: it is outside of ${project}. Give a path inside of it, or allow the folder as a root.`,
  )
})

test('files are read by relative and absolute names, through links that stay inside', async () => {
  const { project, refusals, workspace } = await openTrap()
  expect(await workspace.readText('a.txt')).toBe('a')
  expect(await workspace.readText('./src//../src/b.ts')).toBe('b')
  expect(await workspace.readText(join(project, 'src/deep/c.ts'))).toBe('c')
  expect(await workspace.readText('link-in/b.ts')).toBe('b')
  expect(await workspace.readText('.git/HEAD')).toBe('ref')
  expect(await workspace.stat('src')).toMatchObject({ path: 'src', kind: 'folder' })
  expect(await workspace.stat('link-in/b.ts')).toMatchObject({ path: 'src/b.ts', kind: 'file', bytes: 1 })
  expect(await workspace.stat('.')).toMatchObject({ path: '.', kind: 'folder' })
  expect(await workspace.stat('missing/x')).toBeNull()
  await expect(workspace.readText('missing')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
  await expect(workspace.readText('a.txt/x')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
  await expect(workspace.readText('src')).rejects.toThrow("'src' is a folder. List it instead.")
  await expect(workspace.list('a.txt')).rejects.toThrow("'a.txt' is a file. Read it instead.")
  await writeFile(join(project, 'binary'), Buffer.from([0xff, 0xfe]))
  await expect(workspace.readText('binary')).rejects.toThrow('is not text in UTF-8')
  await truncate(join(project, 'a.txt'), 5_000_000)
  await expect(workspace.readText('a.txt')).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' })
  expect(await workspace.readBytes('a.txt', { maxBytes: 5_000_000 })).toHaveLength(5_000_000)
  await expect(workspace.readBytes('a.txt', { maxBytes: 10 })).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' })
  expect(refusals).toEqual([])
})

test('walks and lists show no denied name, no draft, and follow no link', async () => {
  const { workspace } = await openTrap()
  const walk = async (options = {}) => {
    const paths: string[] = []
    const files = workspace.walk(options)
    for (let next = await files.next(); ; next = await files.next()) {
      if (next.done === true) return { paths, ...next.value }
      paths.push(next.value)
    }
  }
  expect(await walk()).toEqual({ paths: ['a.txt', 'hard', 'src/b.ts', 'src/deep/c.ts'], isTruncated: false })
  expect(await walk({ include: ['*.ts'], exclude: ['deep'] })).toEqual({ paths: ['src/b.ts'], isTruncated: false })
  expect(await walk({ limit: 1 })).toEqual({ paths: ['a.txt'], isTruncated: true })
  const { entries } = await workspace.list()
  expect(entries.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
    'folder .git',
    'file a.txt',
    'folder certs',
    'link dangling',
    'other fifo',
    'file hard',
    'link innocent.txt',
    'link link-in',
    'link link-out',
    'link loop',
    'folder pkg',
    'folder src',
    'link up',
  ])
  expect((await workspace.list('src')).entries.map(({ path }) => path)).toEqual(['src/b.ts', 'src/deep'])
  expect(workspace.isDenied('src/b.ts')).toBe(false)
  expect(workspace.isDenied('pkg/.env')).toBe(true)
  expect(workspace.isDenied('../secret.txt')).toBe(true)
})

test('a policy names its roots, replaces what is denied, and may allow hard links', async () => {
  const { home, project } = await makeTrap()
  const open = (policy: PathPolicy, cwd?: string) =>
    openWorkspace({ defaultCwd: project, policy, cwd, onViolation: () => {} })
  const wide = await open({ roots: ['src', '../project-other', '/nowhere'], denied: [] }, 'src')
  expect(wide.roots).toEqual([join(project, 'src'), join(home, 'project-other')])
  expect(await wide.readText('../../project-other/a.txt')).toBe('other')
  expect((await wide.stat('../../project-other/a.txt'))?.path).toBe('../../project-other/a.txt')
  await expect(wide.readText('../a.txt')).rejects.toEqual(refused('outside'))
  const loose = await open({ roots: [], denied: ['src', `${home}/*/a.*`], allowHardLinks: true })
  expect(await loose.readText('.env')).toBe('KEY=1')
  expect(await loose.readText('hard')).toBe('secret')
  await expect(loose.readText('src/deep/c.ts')).rejects.toEqual(refused('denied'))
  await expect(loose.readText('a.txt')).rejects.toEqual(refused('denied'))
  await expect(loose.locate('.git/x', 'write')).rejects.toEqual(refused('denied'))
})

test('the working directory comes from the call or the default, and lies in a root', async () => {
  const { home, project } = await makeTrap()
  const cwdOf = async (options: Partial<WorkspaceOptions>) => {
    const workspace = await openWorkspace({
      defaultCwd: project,
      policy: everywhere,
      onViolation: () => {},
      ...options,
    })
    return workspace.cwd
  }
  expect(await cwdOf({})).toBe(project)
  expect(await cwdOf({ cwd: 'src' })).toBe(join(project, 'src'))
  expect(await cwdOf({ cwd: 'link-in/deep' })).toBe(join(project, 'src/deep'))
  expect(await cwdOf({ cwd: join(project, 'src') })).toBe(join(project, 'src'))
  expect(await cwdOf({ workspaceUri: pathToFileURL(join(project, 'src')).href })).toBe(join(project, 'src'))
  expect(await cwdOf({ defaultCwd: null, cwd: project, policy: { roots: [home] } })).toBe(project)
  await mkdir(join(project, 'with space'))
  expect(await cwdOf({ workspaceUri: `${pathToFileURL(project).href}/with%20space` })).toBe(join(project, 'with space'))
  await expect(cwdOf({ cwd: '..' })).rejects.toEqual(refused('outside'))
  await expect(cwdOf({ cwd: 'up' })).rejects.toEqual(refused('outside'))
  await expect(cwdOf({ cwd: '.ssh' })).rejects.toEqual(refused('denied'))
  await expect(cwdOf({ cwd: 'a.txt' })).rejects.toThrow("'a.txt' is not a folder")
  await expect(cwdOf({ cwd: 'missing' })).rejects.toThrow("'missing' does not exist")
  await expect(cwdOf({ cwd: 'src', workspaceUri: 'file:///etc' })).rejects.toThrow('name different folders')
  await expect(cwdOf({ workspaceUri: 'https://example.com/' })).rejects.toThrow('not a file: URI')
  await expect(cwdOf({ workspaceUri: 'file:///a%2Fb' })).rejects.toThrow('not a file: URI')
  await expect(cwdOf({ defaultCwd: null })).rejects.toThrow('There is no working directory.')
  await expect(cwdOf({ defaultCwd: null, cwd: '/tmp' })).rejects.toThrow('No folder may be touched.')
  await expect(cwdOf({ defaultCwd: null, cwd: 'src' })).rejects.toThrow("'src' is relative to nothing")
  await expect(cwdOf({ policy: { roots: ['/nowhere'] } })).rejects.toThrow('No allowed root exists: /nowhere')
})

test('a path is explained: where it leads, and why it may or may not be used', async () => {
  const { project } = await makeTrap()
  const explain = (path: string) => explainPath(everywhere, { cwd: project, path })
  const verdict = (allowed: boolean, writable: boolean, because: string) =>
    expect.objectContaining({ allowed, writable, because })
  expect(await explain('link-in/b.ts')).toEqual({
    allowed: true,
    writable: true,
    path: join(project, 'src/b.ts'),
    root: project,
    because: `it is inside of ${project}`,
  })
  expect(await explain('.git/HEAD')).toEqual(verdict(true, false, 'it may be read; .git is for reading only'))
  expect(await explain('.env')).toEqual(verdict(false, false, "the denied glob '.env*' matches it"))
  expect(await explain('up/secret.txt')).toEqual(verdict(false, false, `it is outside of ${project}`))
  expect(await explain('not/yet.ts')).toEqual(verdict(true, true, `it is inside of ${project}`))
})

test('without names for descriptors a folder is walked by paths, and a swap is noticed', async () => {
  const { home, project } = await makeTrap()
  const folder = await openFolder(project, ['src', 'deep'], false)
  expect(folder.at('c.ts')).toBe(join(project, 'src/deep/c.ts'))
  await folder.check()
  await expect(openFolder(project, ['link-in'], false)).rejects.toMatchObject({ code: 'ENOTDIR' })
  execFileSync('mv', [join(project, 'src'), join(home, 'moved')])
  await symlink(join(home, 'moved'), join(project, 'src'))
  await expect(folder.check()).rejects.toThrow('was moved or replaced by a link')
  await folder.close()
})

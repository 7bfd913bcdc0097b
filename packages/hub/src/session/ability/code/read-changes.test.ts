import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBench, type WorkBench } from '../../work/testing/start-bench.ts'
import { createJob } from '../job.ts'
import { readChanges } from './read-changes.ts'

let bench: WorkBench

const environment = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.com',
}

const git = (...args: string[]) => execFileSync('git', args, { cwd: bench.folder, env: environment, stdio: 'pipe' })

function read(base = 'HEAD', fields: Parameters<WorkBench['session']>[0] = {}): Promise<string> {
  const job = createJob({
    session: bench.session(fields),
    ability: 'review.changes',
    workContext: bench.workContext(),
    place: {},
    outside: bench.outside,
    fields: {},
  })
  return readChanges(job, base)
}

beforeAll(async () => {
  bench = await startBench()
  await bench.write({
    'kept.txt': 'kept\n',
    'changed.txt': 'one\ntwo\n',
    'gone.txt': 'gone\n',
    '.gitignore': 'ignored.txt\n',
  })
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '--message', 'first')
})
afterAll(async () => {
  await bench[Symbol.asyncDispose]()
})

test('a workspace without changes says so, and so does a base that there is not', async () => {
  await expect(read()).rejects.toThrow("The workspace has no changes since 'HEAD'.")
  await expect(read('nope')).rejects.toThrow("There is no commit or branch 'nope'")
  await expect(read('--help')).rejects.toThrow("There is no commit or branch '--help'")
})

test('the diff shows what was changed, added and removed, but not what is ignored or denied', async () => {
  await bench.write({ 'changed.txt': 'one\n2\n', 'sub/new.txt': 'new\n', 'ignored.txt': 'x\n', '.env': 'KEY=secret\n' })
  git('rm', '--quiet', 'gone.txt')
  const diff = await read()
  expect(diff).toContain('--- a/changed.txt\n+++ b/changed.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n')
  expect(diff).toMatch(/--- \/dev\/null\t?\n\+\+\+ b\/sub\/new.txt\n@@ -0,0 \+1,1 @@\n\+new/)
  expect(diff).toMatch(/--- a\/gone.txt\n\+\+\+ \/dev\/null/)
  expect(diff).not.toMatch(/kept|ignored|KEY/)
})

test('below a root only what is in the folder is compared', async () => {
  const diff = await read('HEAD', { workingDir: join(bench.folder, 'sub'), paths: { roots: [bench.folder] } })
  expect(diff).toContain('b/new.txt')
  expect(diff).not.toContain('changed')
})

test('a repository outside of the roots is not read', async () => {
  const outside = read('HEAD', { workingDir: join(bench.folder, 'sub') })
  await expect(outside).rejects.toMatchObject({ code: 'PATH_REFUSED' })
})

test('nothing that the configuration of a repository names is run', async () => {
  const trap = join(bench.folder, 'trap.sh')
  await writeFile(trap, `#!/bin/sh\ntouch ${join(bench.folder, 'trapped')}\ncat\n`, { mode: 0o755 })
  await mkdir(join(bench.folder, 'hooks'), { recursive: true })
  await bench.write({ '.gitattributes': '*.txt filter=trap diff=trap\n' })
  for (const name of [
    'core.fsmonitor',
    'filter.trap.clean',
    'filter.trap.process',
    'diff.trap.command',
    'diff.trap.textconv',
    'diff.external',
    'core.pager',
  ])
    git('config', name, trap)
  expect(await read()).toContain('b/changed.txt')
  expect(await bench.read('trapped')).toBeNull()
})

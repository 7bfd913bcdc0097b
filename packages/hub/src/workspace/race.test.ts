import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runSource } from '../platform/testing/source-process.ts'
import { CommitJournal } from './commit/commit-journal.ts'
import { openWorkspace } from './open-workspace.ts'
import { Stage } from './stage/stage.ts'
import { StageFigures } from './stage/stage-figures.ts'
import { makeTestFolder, readTree, silentLog } from './testing/test-folder.ts'

const durationMs = 1200

test('a folder that is swapped for a link all the time never lets a read or a write escape', async () => {
  const home = await makeTestFolder({ 'outside/file': 'secret', 'project/src/file': 'ours', 'project/other': 'ours' })
  const project = join(home, 'project')
  await symlink(join(home, 'outside'), join(home, 'link'))
  const swapping = runSource('../../workspace/testing/swap-folder.ts', [
    join(project, 'src'),
    join(home, 'true'),
    join(home, 'link'),
  ])
  await swapping.waitForLine('swapping')
  const workspace = await openWorkspace({ defaultCwd: project, policy: { roots: [] }, onViolation: () => {} })
  const journal = new CommitJournal({ folder: join(home, 'journal'), log: silentLog })
  const seen = { read: 0, listed: 0, walked: 0, written: 0, refused: 0 }
  const until = Date.now() + durationMs
  // On a busy machine it takes longer until each of them got through once.
  const goesOn = () => Date.now() < until || Object.values(seen).includes(0)
  const attempt = async (what: keyof typeof seen, work: () => Promise<void>) => {
    try {
      await work()
      seen[what]++
    } catch {
      // Refused, not found, or changed while it was opened: all of them are fine as long as nothing got out.
      seen.refused++
    }
  }
  const escapes: string[] = []
  const note = (text: string) => void (text === 'ours' || text.startsWith('round') || escapes.push(text))
  const readers = Array.from({ length: 3 }, async () => {
    while (goesOn()) {
      await attempt('read', async () => note(await workspace.readText('src/file')))
      await attempt('listed', async () => {
        for (const { name } of (await workspace.list('src')).entries) if (name === 'only-outside') escapes.push(name)
      })
      await attempt('walked', async () => {
        for await (const path of workspace.walk()) if (path.endsWith('only-outside')) escapes.push(path)
      })
    }
  })
  await writeFile(join(home, 'outside/only-outside'), 'secret')
  for (let round = 0; goesOn(); round++) {
    const stage = new Stage(workspace, { journal, figures: new StageFigures() })
    await attempt('written', async () => {
      await stage.write('src/file', `round ${round}`)
      await stage.write('src/deep/new', `round ${round}`)
      await stage.commit()
    })
  }
  await Promise.all(readers)
  swapping.kill('SIGKILL')
  await swapping.exited
  expect(escapes).toEqual([])
  expect(await readTree(join(home, 'outside'))).toEqual({ file: 'secret', 'only-outside': 'secret' })
}, 60_000)

test('a file that is swapped for a link to a secret is never read as that', async () => {
  const home = await makeTestFolder({ 'outside/file': 'secret' })
  const project = join(home, 'project')
  await mkdir(project)
  await writeFile(join(project, 'file'), 'ours')
  await symlink(join(home, 'outside/file'), join(home, 'link'))
  const swapping = runSource('../../workspace/testing/swap-folder.ts', [
    join(project, 'file'),
    join(home, 'true'),
    join(home, 'link'),
  ])
  await swapping.waitForLine('swapping')
  const workspace = await openWorkspace({ defaultCwd: project, policy: { roots: [] }, onViolation: () => {} })
  const texts = new Set<string>()
  for (const until = Date.now() + durationMs / 2; Date.now() < until;) {
    texts.add(await workspace.readText('file').catch(() => ''))
  }
  swapping.kill('SIGKILL')
  await swapping.exited
  expect(texts).toEqual(new Set(['ours', '']))
  expect(await readFile(join(home, 'outside/file'), 'utf8')).toBe('secret')
}, 60_000)

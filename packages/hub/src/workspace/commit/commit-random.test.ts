import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { HubError } from '@herma/contract'
import { expect, test, vi } from 'vitest'
import { openWorkspace } from '../open-workspace.ts'
import { Stage } from '../stage/stage.ts'
import { StageFigures } from '../stage/stage-figures.ts'
import { Crash, createFaultyDisk, type Faults } from '../testing/faulty-disk.ts'
import { randomFrom } from '../testing/random.ts'
import { listFolders, makeTestFolder, readTree, silentLog, writeTree } from '../testing/test-folder.ts'
import { CommitJournal } from './commit-journal.ts'
import { recoverJournals } from './recover-journals.ts'

vi.mock('node:fs/promises', async () => (await import('../testing/sync-files.ts')).syncFiles)

// Stages are held against a plain map through many random stories of writes, removals, renames, discards, commits,
// cancellations, full disks and crashes. After each commit, and after the recovery from each crash, also of a recovery
// that crashed itself, the workspace is exactly what was committed last, and nothing else is left on the disk.

type Tree = Record<string, string>

const names = ['a', 'b', 'c.sh', 'd/a', 'd/b', 'd/e/a', 'f/g/h', 'f/g/i', 'j/k']
const seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
const roundsPerStory = 250

test('through thousands of random steps the workspace is always at a committed state', async () => {
  const home = await makeTestFolder()
  const ends: End[] = []
  for (const seed of seeds) ends.push(...(await tellStory(seed, join(home, `${seed}`))))
  expect(ends).toHaveLength(3000)
  // A test in which one of these hardly ever happens would prove nothing about it.
  for (const end of ['applied', 'failed', 'cancelled', 'crashed before', 'crashed after'] as const) {
    expect(ends.filter((other) => other === end).length, end).toBeGreaterThan(40)
  }
}, 120_000)

async function tellStory(seed: number, home: string): Promise<End[]> {
  const { below, pick, chance } = randomFrom(seed)
  const project = join(home, 'project')
  const folder = join(home, 'journal')
  await mkdir(project, { recursive: true })
  const workspace = await openWorkspace({ defaultCwd: project, policy: { roots: [] }, onViolation: () => {} })
  let committed: Tree = {}
  const ends: End[] = []

  for (let round = 0; round < roundsPerStory; round++) {
    const where = `seed ${seed}, round ${round}`
    const controller = new AbortController()
    const { fault, faults } = chooseFaults(controller)
    const journal = new CommitJournal({ folder, log: silentLog, disk: createFaultyDisk(faults) })
    const stage = new Stage(workspace, { journal, figures: new StageFigures() })
    const staged = await changeRandomly(stage, { ...committed })
    const folders = await listFolders(project)
    const outcome = await stage.commit(controller.signal).then(
      () => null,
      (error: unknown) => error,
    )
    // What fails without a crash is undone at once; only removing drafts may be left to the next start.
    if (fault === 'crash' || outcome === null) await recover()
    const found = await readTree(project)
    const allowed = outcome === null ? [staged] : fault === 'crash' ? [committed, staged] : [committed]
    expect(allowed, where).toContainEqual(found)
    if (outcome !== null) expectReason(fault, outcome, where)
    expect(await leftovers(folder), where).toEqual([])
    const isOld = JSON.stringify(found) === JSON.stringify(committed)
    const foldersNow = await listFolders(project)
    expect(outcome !== null && isOld ? foldersNow : folders, where).toEqual(folders)
    if (outcome === null) ends.push('applied')
    else if (fault === 'crash') ends.push(isOld ? 'crashed before' : 'crashed after')
    else ends.push(fault === 'cancel' ? 'cancelled' : 'failed')
    committed = found
    await removeEmptyFolders(project)
  }
  return ends

  function chooseFaults(controller: AbortController): { fault: Fault; faults: Faults } {
    const fault = pick(['none', 'crash', 'crash', 'fail', 'cancel', 'fail and crash'] as const)
    const at = below(chance(0.5) ? 45 : 15)
    const onStep = (step: number) => (step === at ? controller.abort() : undefined)
    if (fault === 'cancel') return { fault, faults: { onStep } }
    if (fault === 'fail and crash') return { fault: 'crash', faults: { failAt: at, crashAt: at + 1 + below(8) } }
    return { fault, faults: fault === 'crash' ? { crashAt: at } : fault === 'fail' ? { failAt: at } : {} }
  }

  async function recover(): Promise<void> {
    for (let tries = below(3); tries > 0; tries--) {
      await recoverJournals(folder, silentLog, createFaultyDisk({ crashAt: below(20) })).catch(unlessCrash)
    }
    await recoverJournals(folder, silentLog, createFaultyDisk())
  }

  /** Returns what the workspace shall be after the commit; the stage agrees at every step. */
  async function changeRandomly(stage: Stage, tree: Tree): Promise<Tree> {
    for (let step = below(7); step >= 0; step--) {
      const action = pick(['write', 'write', 'write', 'remove', 'rename', 'discard'] as const)
      const [name, other] = [pick(names), pick(names)]
      if (action === 'write') {
        const text = `${pick(['x', 'y'])}${below(3)}`.repeat(1 + below(3))
        await stage.write(name, text)
        tree[name] = tree[name]?.startsWith('#!') === true ? `#!${text}` : text
      } else if (action === 'remove') {
        if (tree[name] === undefined) await expect(stage.remove(name)).rejects.toThrow('There is no file')
        else await stage.remove(name)
        delete tree[name]
      } else if (action === 'rename') {
        const isPossible = tree[name] !== undefined && tree[other] === undefined
        if (isPossible) {
          await stage.rename(name, other)
          tree[other] = tree[name]!
          delete tree[name]
        } else await expect(stage.rename(name, other)).rejects.toBeInstanceOf(HubError)
      } else if (chance(0.2)) {
        await stage.discard()
        tree = { ...committed }
      }
      const read = await stage.readText(name).catch(() => undefined)
      expect(read).toBe(tree[name])
    }
    return sorted(tree)
  }
}

type End = 'applied' | 'failed' | 'cancelled' | 'crashed before' | 'crashed after'
type Fault = 'none' | 'crash' | 'fail' | 'cancel'

function expectReason(fault: Fault, outcome: unknown, where: string): void {
  if (fault === 'cancel') expect(outcome, where).toMatchObject({ name: 'AbortError' })
  else expect(outcome, where).toMatchObject({ code: 'COMMIT_FAILED' })
}

function unlessCrash(error: unknown): void {
  if (!(error instanceof Crash)) throw error
}

function sorted(tree: Tree): Tree {
  return Object.fromEntries(Object.entries(tree).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

async function leftovers(folder: string): Promise<string[]> {
  return await readdir(folder).catch(() => [])
}

// So that stories keep making folders.
async function removeEmptyFolders(project: string): Promise<void> {
  for (const folder of (await listFolders(project)).toReversed()) {
    if ((await readdir(join(project, folder))).length === 0) await rm(join(project, folder), { recursive: true })
  }
}

test('a crash at any step of a commit leaves the old files or the new ones, and those of other people', async () => {
  const home = await makeTestFolder()
  const ends = new Set<string>()
  let last = false
  for (let crashAt = 0; !last; crashAt++) {
    const edits = [null, 'a', 'd/b', 'd/keep', 'f/g/h']
    const found = await Promise.all(
      edits.map((edited) => crash(join(home, `${crashAt} ${edits.indexOf(edited)}`), crashAt, edited)),
    )
    for (const end of found) ends.add(end)
    last = found.includes('finished')
  }
  expect([...ends].toSorted()).toEqual(['finished', 'new', 'old'])
}, 120_000)

/** Between the crash and the next start somebody changes one file. */
async function crash(home: string, crashAt: number, edited: string | null): Promise<'old' | 'new' | 'finished'> {
  const project = join(home, 'project')
  const folder = join(home, 'journal')
  const before = { a: 'old a', 'c.sh': '#!old', 'd/b': 'old b', 'd/keep': 'keep' }
  const after = { a: 'new a', 'c.sh': '#!new', 'd/keep': 'keep', 'f/g/h': 'new h' }
  await writeTree(project, { ...before, 'c.sh': 'old' })
  const disk = createFaultyDisk({ crashAt })
  const workspace = await openWorkspace({ defaultCwd: project, policy: { roots: [] }, onViolation: () => {} })
  const stage = new Stage(workspace, {
    journal: new CommitJournal({ folder, log: silentLog, disk }),
    figures: new StageFigures(),
  })
  await stage.write('a', 'new a')
  await stage.write('c.sh', 'new')
  await stage.remove('d/b')
  await stage.write('f/g/h', 'new h')
  await stage.commit().catch(() => {})
  const theirs = edited === null ? {} : { [edited]: 'theirs' }
  await writeTree(project, theirs)
  await recoverJournals(folder, silentLog, createFaultyDisk())
  const found = await readTree(project)
  const isNew = found['c.sh'] === '#!new'
  expect(found, `step ${crashAt}, ${edited}`).toEqual(sorted({ ...(isNew ? after : before), ...theirs }))
  expect(await leftovers(folder)).toEqual([])
  return disk.steps() <= crashAt ? 'finished' : isNew ? 'new' : 'old'
}

test('whatever step fails, the next commit finds nothing of it', async () => {
  const home = await makeTestFolder()
  const counts = { applied: 0, failed: 0 }
  for (let failAt = 0, isReached = true; isReached; failAt++) {
    const project = join(home, `${failAt}`)
    const folder = join(home, `journal ${failAt}`)
    await writeTree(project, { a: 'old', 'd/b': 'old' })
    const disk = createFaultyDisk({ failAt })
    const workspace = await openWorkspace({ defaultCwd: project, policy: { roots: [] }, onViolation: () => {} })
    const journal = new CommitJournal({ folder, log: silentLog, disk })
    const stage = new Stage(workspace, { journal, figures: new StageFigures() })
    await stage.write('a', 'new')
    await stage.remove('d/b')
    await stage.write('e/f', 'new')
    const isApplied = await stage.commit().then(
      () => true,
      () => false,
    )
    isReached = disk.steps() > failAt
    if (!isReached) break
    await stage.discard()
    await stage.write('x', 'next')
    await stage.commit()
    const expected = isApplied ? { a: 'new', 'e/f': 'new' } : { a: 'old', 'd/b': 'old' }
    expect(await readTree(project), `step ${failAt}`).toEqual({ ...expected, x: 'next' })
    expect(await leftovers(folder)).toEqual([])
    counts[isApplied ? 'applied' : 'failed']++
  }
  expect(counts.failed).toBeGreaterThan(10)
  expect(counts.applied).toBeGreaterThan(3)
})

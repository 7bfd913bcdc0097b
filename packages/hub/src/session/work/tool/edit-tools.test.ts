import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { CommitJournal } from '../../../workspace/commit/commit-journal.ts'
import { openWorkspace } from '../../../workspace/open-workspace.ts'
import { StageFigures } from '../../../workspace/stage/stage-figures.ts'
import { Stage } from '../../../workspace/stage/stage.ts'
import { makeTestFolder, silentLog } from '../../../workspace/testing/test-folder.ts'
import { editingTools } from './edit-tools.ts'

async function openTools() {
  const project = await makeTestFolder({ 'a.txt': 'one\n' })
  const workspace = await openWorkspace({ defaultCwd: project, policy: { roots: [] }, onViolation: () => {} })
  const journal = new CommitJournal({ folder: await makeTestFolder(), log: silentLog })
  const stage = new Stage(workspace, { journal, figures: new StageFigures() })
  const tools = new Map(editingTools({ stage, writeGlobs: ['*.txt'] }).map((tool) => [tool.name, tool]))
  const call = async (name: string, args: Record<string, unknown>) =>
    (await tools.get(name)!.run!(args, { signal: new AbortController().signal, callId: name })).text
  return { workspace, stage, call }
}

test('the edits of one step are made in their order, however long the first path takes to find', async () => {
  const { workspace, stage, call } = await openTools()
  const locate = workspace.locate.bind(workspace)
  let calls = 0
  workspace.locate = async (...args) => {
    if (++calls === 1) await wait(50)
    return await locate(...args)
  }
  const answers = await Promise.all([
    call('write_file', { path: 'a.txt', text: 'two\n' }),
    call('edit_file', { path: 'a.txt', old_text: 'two', new_text: 'three' }),
    call('move_file', { from: 'a.txt', to: 'b.txt' }),
  ])
  expect(answers).toEqual(["'a.txt' is written.", "'a.txt' is changed.", "'a.txt' is 'b.txt' now."])
  expect(await stage.readText('b.txt')).toBe('three\n')
})

test('an edit that is refused leaves the next one its turn', async () => {
  const { stage, call } = await openTools()
  const [refused, written] = await Promise.allSettled([
    call('write_file', { path: 'a.ts', text: 'no' }),
    call('write_file', { path: 'a.txt', text: 'two\n' }),
  ])
  expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'PATH_REFUSED' } })
  expect(written).toMatchObject({ status: 'fulfilled' })
  expect(await stage.readText('a.txt')).toBe('two\n')
})

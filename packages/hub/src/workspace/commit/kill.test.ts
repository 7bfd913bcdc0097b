import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runSource } from '../../platform/testing/source-process.ts'
import { generationFiles } from '../testing/generation.ts'
import { randomFrom } from '../testing/random.ts'
import { makeTestFolder, readTree, silentLog } from '../testing/test-folder.ts'
import { recoverJournals } from './recover-journals.ts'

test('after kill -9 in the middle of commits, the files are all of one generation', async () => {
  const [project, stateHome] = [await makeTestFolder(), await makeTestFolder()]
  const journal = join(stateHome, 'workspace-journal')
  const { below } = randomFrom(7)
  let last = 0
  for (let round = 0; round < 5; round++) {
    const committing = runSource('../../workspace/testing/commit-forever.ts', [project, stateHome, `${last + 1}`])
    await committing.waitForLine('done')
    await sleep(below(120))
    committing.kill('SIGKILL')
    await committing.exited
    const told = Number(committing.lines.at(-1)?.split(' ')[1])
    await recoverJournals(journal, silentLog)
    const found = await readTree(project)
    const generation = Number(found['stays/0/0.txt']?.split(' ')[0])
    // What was told to be done is; one more may be done whose word did not get out.
    expect([told, told + 1]).toContain(generation)
    expect(found).toEqual(generationFiles(generation))
    expect(await readdir(journal)).toEqual([])
    last = generation
  }
}, 90_000)

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HubError } from '@herma/contract'
import { expect, test } from 'vitest'
import { readBundleFiles } from './read-bundle.ts'

test('a bundle that is removed while it is read is unreadable, and no failure of the hub', async () => {
  const home = await mkdtemp(join(tmpdir(), 'herma-test-bundle-'))
  const rounds = Array.from({ length: 50 }, async (_, round) => {
    const folder = join(home, String(round))
    await mkdir(folder)
    for (const name of ['a', 'b', 'c']) await writeFile(join(folder, name), '{}')
    const reading = readBundleFiles(folder).catch((error: unknown) => error)
    await rm(folder, { recursive: true })
    return reading
  })
  const outcomes = await Promise.all(rounds)
  await rm(home, { recursive: true })
  expect(outcomes.filter((each) => !Array.isArray(each) && !(each instanceof HubError))).toEqual([])
})

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { cachedFolder } from './cache.ts'

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'herma-cache-'))
  vi.stubEnv('HERMA_INTEROP_CACHE', home)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await rm(home, { recursive: true, force: true })
})

test('a folder that several ask for at once is filled once, and everybody gets it whole', async () => {
  let filled = 0
  const ask = () =>
    cachedFolder('thing', ['a'], async (folder) => {
      filled++
      await sleep(50)
      await writeFile(join(folder, 'part'), 'whole')
    })
  const folders = await Promise.all([ask(), ask(), ask()])
  expect(filled).toBe(1)
  expect(new Set(folders).size).toBe(1)
  expect(await readFile(join(folders[0], 'part'), 'utf8')).toBe('whole')
})

test('one that was not filled to its end is filled again', async () => {
  const fail = () => Promise.reject(new Error('no network'))
  await expect(cachedFolder('broken', ['a'], fail)).rejects.toThrow('no network')
  const folder = await cachedFolder('broken', ['a'], (path) => writeFile(join(path, 'part'), 'whole'))
  expect(await readFile(join(folder, 'part'), 'utf8')).toBe('whole')
})

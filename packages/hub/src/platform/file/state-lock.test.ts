import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { acquireStateLock, findStateLockOwner } from './state-lock.ts'
import { runSource } from '../testing/source-process.ts'
import { createTemporaryHome } from '../testing/temporary-home.ts'

async function temporaryFolder(): Promise<string> {
  const home = await createTemporaryHome()
  onTestFinished(() => home.remove())
  return home.path
}

test('of four hubs that start at once exactly one gets the state home', async () => {
  const stateHome = await temporaryFolder()
  const hubs = Array.from({ length: 4 }, () => runSource('hold-lock.ts', [stateHome]))
  const outcomes = await Promise.all(
    hubs.map((hub) => Promise.race([hub.waitForLine('held'), hub.waitForLine('refused')])),
  )
  const holder = hubs[outcomes.indexOf('held')]
  expect(outcomes.filter((outcome) => outcome === 'held')).toHaveLength(1)
  for (const refused of outcomes.filter((outcome) => outcome !== 'held')) {
    // The last one that it met may have been another that was about to step back.
    const pid = Number(/Another hub \(pid (\d+)\) uses this state home/.exec(refused)?.[1])
    expect(hubs.map((hub) => hub.pid)).toContain(pid)
  }
  expect(await findStateLockOwner(stateHome)).toBe(holder?.pid)
})

test('the lock of a killed hub is free', async () => {
  const stateHome = await temporaryFolder()
  const hub = runSource('hold-lock.ts', [stateHome])
  await hub.waitForLine('held')
  await expect(acquireStateLock(stateHome)).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringMatching(/herma status.*herma stop/),
  })
  hub.kill('SIGKILL')
  await hub.exited
  const lock = await acquireStateLock(stateHome)
  await lock.release()
  expect(await readdir(join(stateHome, 'lock'))).toEqual([])
})

test('a released lock can be taken again, and only then', async () => {
  const stateHome = await temporaryFolder()
  const first = await acquireStateLock(stateHome)
  await expect(acquireStateLock(stateHome)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  await first.release()
  const second = await acquireStateLock(stateHome)
  await second.release()
})

test('a claim whose number belongs to another process now does not count', async () => {
  const stateHome = await temporaryFolder()
  await (await acquireStateLock(stateHome)).release()
  await writeFile(join(stateHome, 'lock', `${process.ppid}-0123456789abcdef-00000000`), '')
  expect(await findStateLockOwner(stateHome)).toBeUndefined()
  const lock = await acquireStateLock(stateHome)
  await lock.release()
})

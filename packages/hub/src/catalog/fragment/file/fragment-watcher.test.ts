import { EventEmitter } from 'node:events'
import type { watch } from 'node:fs'
import { appendFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FragmentWatcher } from './fragment-watcher.ts'

let root: string
let configHome: string
let watcher: FragmentWatcher | undefined
let changes = 0

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'herma-watcher-'))
  configHome = join(root, 'config')
  await mkdir(configHome)
  changes = 0
})

afterEach(async () => {
  await watcher?.stop()
  await rm(root, { recursive: true, force: true })
})

async function start(watchFolder?: typeof watch): Promise<void> {
  const options = { configHome, onChange: () => changes++ }
  watcher = new FragmentWatcher(watchFolder === undefined ? options : { ...options, watchFolder })
  await watcher.start()
}

/** Waits until what `act` does was reported, and until nothing more comes. */
async function expectChange(act: () => Promise<unknown>, quietMs = 250): Promise<void> {
  const before = changes
  await act()
  await expect.poll(() => changes, { timeout: 10_000, interval: 10 }).toBeGreaterThan(before)
  let last: number
  do {
    last = changes
    await delay(quietMs)
  } while (changes !== last)
}

const file = (...parts: string[]) => join(configHome, ...parts)
const edit = (...parts: string[]) => appendFile(file(...parts), ' ')

describe('a change is reported', () => {
  test('when a file is made, written, replaced by rename and removed', async () => {
    await mkdir(file('catalog'))
    await start()
    await expectChange(() => writeFile(file('catalog', 'a.json'), '{}'))
    await expectChange(() => edit('catalog', 'a.json'))
    await writeFile(file('catalog', '.a.json.tmp'), '{ }')
    await expectChange(() => rename(file('catalog', '.a.json.tmp'), file('catalog', 'a.json')))
    await expectChange(() => edit('catalog', 'a.json'))
    await expectChange(() => rm(file('catalog', 'a.json')))
  })

  test('when folders come and go', async () => {
    await start()
    await expectChange(async () => {
      await mkdir(file('bundles', 'x'), { recursive: true })
      await writeFile(file('bundles', 'x', 'catalog.json'), '{}')
    })
    await expectChange(() => edit('bundles', 'x', 'catalog.json'))
    await expectChange(() => rename(file('bundles', 'x'), file('bundles', 'y')))
    await expectChange(() => edit('bundles', 'y', 'catalog.json'))
    await expectChange(() => rm(file('bundles'), { recursive: true }))
    await expectChange(() => mkdir(file('catalog')))
    await expectChange(() => writeFile(file('catalog', 'a.json'), '{}'))
    await expectChange(() => writeFile(file('custom_tools.json'), '{}'))
  })

  test('after a folder was replaced by one of the same name', async () => {
    await mkdir(file('catalog'))
    await start()
    await expectChange(async () => {
      await rm(file('catalog'), { recursive: true })
      await mkdir(file('catalog'))
    })
    await expectChange(() => writeFile(file('catalog', 'a.json'), '{}'))
  })

  test('after the whole config home was removed and made again', async () => {
    await mkdir(file('catalog'))
    await writeFile(file('catalog', 'a.json'), '{}')
    await start()
    await expectChange(() => rm(configHome, { recursive: true }))
    await expectChange(async () => {
      await mkdir(file('catalog'), { recursive: true })
      await writeFile(file('catalog', 'a.json'), '{}')
    })
    await expectChange(() => edit('catalog', 'a.json'))
  })

  test('when there was no config home at first', async () => {
    await rm(configHome, { recursive: true })
    await start()
    await expectChange(async () => {
      await mkdir(file('catalog'), { recursive: true })
      await writeFile(file('catalog', 'a.json'), '{}')
    })
  })
})

test('many writes in a row are few changes', async () => {
  await mkdir(file('catalog'))
  await start()
  await expectChange(async () => {
    for (let round = 0; round < 200; round++) await writeFile(file('catalog', `f${round}.json`), '{}')
  })
  expect(changes).toBeLessThan(200)
})

test('many events at once are one change, and those of what is no fragment are none', async () => {
  await mkdir(file('catalog'))
  await mkdir(file('bundles', 'x'), { recursive: true })
  const { watchFolder, emit } = fakeWatch()
  await start(watchFolder)
  emit(configHome, 'hub.log')
  emit(file('catalog'), 'a.json~', '.a.json.swp')
  emit(file('bundles', 'x'), 'notes.json')
  await delay(500)
  expect(changes).toBe(0)
  emit(file('catalog'), ...Array.from({ length: 200 }, (_, round) => `f${round}.json`))
  await expect.poll(() => changes, { timeout: 10_000, interval: 10 }).toBe(1)
  await delay(500)
  expect(changes).toBe(1)
})

/** A watch that reports what the test says and nothing else, however slow the machine is. */
function fakeWatch() {
  const watches = new Map<string, EventEmitter>()
  const watchFolder = (path: string) => {
    const fake = Object.assign(new EventEmitter(), { close: () => watches.delete(path) })
    watches.set(path, fake)
    return fake
  }
  const emit = (path: string, ...files: string[]) => {
    for (const each of files) watches.get(path)!.emit('change', 'change', each)
  }
  return { watchFolder: watchFolder as unknown as typeof watch, emit }
}

describe('without the watch of the operating system', () => {
  const unavailable = (() => {
    throw Object.assign(new Error('System limit for number of file watchers reached'), { code: 'ENOSPC' })
  }) as unknown as typeof watch

  test('files are polled', async () => {
    await mkdir(file('catalog'))
    await start(unavailable)
    await expectChange(() => writeFile(file('catalog', 'a.json'), '{}'), 700)
    await expectChange(() => edit('catalog', 'a.json'), 700)
    await expectChange(() => rm(file('catalog'), { recursive: true }))
  })

  test('what is no fragment is no change', async () => {
    await mkdir(file('catalog'))
    await start(unavailable)
    await writeFile(file('catalog', 'a.json~'), '{}')
    await writeFile(file('catalog', '.a.json.swp'), '{}')
    await writeFile(file('hub.log'), 'x')
    await delay(1200)
    expect(changes).toBe(0)
  })

  test('a watch that fails later is replaced by polling', async () => {
    await mkdir(file('catalog'))
    const watches: EventEmitter[] = []
    const failing = () => {
      if (watches.length === 2) throw new Error('EMFILE')
      const fake = Object.assign(new EventEmitter(), { close: () => undefined })
      watches.push(fake)
      return fake
    }
    await start(failing as unknown as typeof watch)
    for (const each of watches) each.emit('error', new Error('EMFILE'))
    await expectChange(() => writeFile(file('catalog', 'a.json'), '{}'))
  })
})

test('every folder is watched once at most, and none after stop', async () => {
  const open = new Set<string>()
  const twice: string[] = []
  let opened = 0
  for (let index = 0; index < 250; index++) await mkdir(file('bundles', `b${index}`), { recursive: true })
  await start(((path: string) => {
    // An assertion that throws here would be taken for a watch that cannot be had.
    if (open.has(path)) twice.push(path)
    open.add(path)
    opened++
    return Object.assign(new EventEmitter(), { close: () => open.delete(path) })
  }) as unknown as typeof watch)
  await writeFile(file('bundles', 'b0', 'catalog.json'), '{}')
  await expect.poll(() => changes, { timeout: 10_000 }).toBeGreaterThan(0)
  expect(twice).toEqual([])
  expect(opened).toBeLessThanOrEqual(203)
  await watcher?.stop()
  expect(open.size).toBe(0)
  const before = changes
  await writeFile(file('bundles', 'b0', 'catalog.json'), '{ }')
  await delay(700)
  expect(changes).toBe(before)
})

import { describe, expect, test, vi } from 'vitest'
import { DescriptorReader } from './descriptor-reader.ts'
import type { Known } from './known.ts'
import { createHandshake, TestLink } from '../testing/test-link.ts'

const tools = (...names: string[]) => ({ tools: names.map((name) => ({ name })) })

function create(known: Known | null = null) {
  const told: string[][] = []
  const errors: Error[] = []
  let latest = known
  const reader = new DescriptorReader({
    known: () => latest,
    onRead: (read) => {
      latest = { ...read, distinctions: [] }
      told.push(read.descriptors.read('tools').map(({ name }) => String(name)))
    },
    onError: (error) => errors.push(error),
  })
  return { reader, told, errors }
}

function createLink(list: object, capabilities: Record<string, unknown> = { tools: { listChanged: true } }): TestLink {
  const link = new TestLink()
  link.handshake = createHandshake('legacy', capabilities)
  link.answers['tools/list'] = list
  return link
}

describe('the lists of a server', () => {
  test('are those of its base link', async () => {
    const { reader, told } = create()
    reader.open(createLink(tools('a', 'b')), 'base')
    await reader.done
    expect(told).toEqual([['a', 'b']])
  })

  test('are read again when they change, and once more when they change meanwhile', async () => {
    const { reader, told } = create()
    const link = createLink(tools('a'))
    reader.open(link, 'base')
    await reader.done
    link.answers['tools/list'] = tools('a', 'b')
    reader.refresh(link, ['tools'])
    reader.refresh(link, ['tools'])
    await reader.done
    expect(told.at(-1)).toEqual(['a', 'b'])
    expect(link.requested.filter(({ method }) => method === 'tools/list').length).toBeLessThanOrEqual(3)
  })

  test('are not read each time when they change all the time, but in the end', async () => {
    const { reader, told } = create()
    const link = createLink(tools('a'))
    reader.open(link, 'base')
    for (let round = 0; round < 100; round++) {
      link.answers['tools/list'] = tools(`a${round}`)
      reader.refresh(link, ['tools'])
      await reader.done
    }
    expect(told.length).toBeLessThan(60)
    await vi.waitFor(() => expect(told.at(-1)).toEqual(['a99']), 10_000)
    reader.close(link)
  })

  test('that changed in a burst are read within a second after its last change', async () => {
    vi.useFakeTimers()
    try {
      const { reader, told } = create()
      const link = createLink(tools('a'))
      let round = 0
      Object.defineProperty(link.answers, 'tools/list', { get: () => tools(`a${round}`) })
      reader.open(link, 'base')
      for (round = 1; round <= 200; round++) {
        reader.refresh(link, ['tools'])
        await vi.advanceTimersByTimeAsync(10)
      }
      round = 999
      reader.refresh(link, ['tools'])
      await vi.advanceTimersByTimeAsync(1000)
      expect(told.at(-1)).toEqual(['a999'])
      expect(told.length).toBeLessThan(100)
    } finally {
      vi.useRealTimers()
    }
  })

  test('are not changed by another link that shows less from the start', async () => {
    const { reader, told } = create()
    reader.open(createLink(tools('a', 'b')), 'base')
    await reader.done
    reader.open(createLink(tools('a')), 'changes')
    await reader.done
    expect(told).toEqual([['a', 'b']])
  })

  test('have what another link adds and lack what it removes, for as long as it is open', async () => {
    const { reader, told } = create()
    reader.open(createLink(tools('a', 'b')), 'base')
    const lane = createLink(tools('a', 'b'))
    reader.open(lane, 'changes')
    await reader.done
    lane.answers['tools/list'] = tools('b', 'c')
    reader.refresh(lane, ['tools'])
    await reader.done
    expect(told.at(-1)).toEqual(['b', 'c'])
    reader.close(lane)
    expect(told.at(-1)).toEqual(['a', 'b'])
    expect(told).toHaveLength(3)
  })

  test('are as before when another link takes its change back', async () => {
    const { reader, told } = create()
    reader.open(createLink(tools('a')), 'base')
    const lane = createLink(tools('a'))
    reader.open(lane, 'changes')
    await reader.done
    for (const list of [tools('a', 'b'), tools('a')]) {
      lane.answers['tools/list'] = list
      reader.refresh(lane, ['tools'])
      await reader.done
    }
    expect(told).toEqual([['a'], ['a', 'b'], ['a']])
  })

  test('are not read from another link that reports no changes', async () => {
    const { reader } = create()
    const lane = createLink(tools('a'), { tools: {} })
    reader.open(lane, 'changes')
    await reader.done
    expect(lane.requested).toEqual([])
  })

  test('that cannot be read leave the others as they are', async () => {
    const { reader, told, errors } = create()
    const link = createLink({ tools: 'none' }, { tools: {}, prompts: {} })
    link.answers['prompts/list'] = { prompts: [{ name: 'p' }] }
    reader.open(link, 'base')
    await reader.done
    expect(errors).toHaveLength(1)
    expect(told).toEqual([[]])
  })

  test('are not asked of a link that is closed or was never opened here', async () => {
    const { reader, told } = create()
    const link = createLink(tools('a'))
    reader.refresh(link, ['tools'])
    link.isClosed = true
    reader.open(link, 'base')
    await reader.done
    expect(link.requested).toEqual([])
    expect(told).toEqual([])
  })
})

test('a server is heard as soon as it has answered with one list, and at once where it has none', async () => {
  const { reader } = create()
  const link = createLink(tools('a'), { tools: {}, prompts: {} })
  link.request = (method) => (method === 'tools/list' ? Promise.resolve(tools('a')) : new Promise(() => {}))
  reader.open(link, 'base')
  await reader.heard(link)
  const empty = createLink({}, {})
  reader.open(empty, 'base')
  await reader.heard(empty)
  const silent = createLink({}, { tools: {} })
  silent.request = () => new Promise(() => {})
  reader.open(silent, 'base')
  expect(await Promise.race([reader.heard(silent).then(() => 'heard'), Promise.resolve('silent')])).toBe('silent')
})

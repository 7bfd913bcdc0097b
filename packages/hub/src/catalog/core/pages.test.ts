import { describe, expect, test } from 'vitest'
import { hermaSource } from './catalog-source.ts'
import { pageSize, ListPages } from './pages.ts'
import { shapeOwnTool } from './shape-source.ts'
import { ShapedEntry, toBytes } from './shaped-entry.ts'

const tools = (count: number, start = 0) =>
  Array.from({ length: count }, (_, index) => ({ name: `tool-${start + index}`, description: 'größe' }))

function paginate(descriptors: readonly Record<string, unknown>[]): ListPages {
  return new ListPages(descriptors.map(shape))
}

function shape(descriptor: Record<string, unknown>) {
  return new ShapedEntry(hermaSource, String(descriptor['name']), toBytes(descriptor, 'name'))
}

function readAll(pages: ListPages): { names: string[]; pageCount: number } {
  const names: string[] = []
  let cursor: string | undefined
  for (let pageCount = 1; ; pageCount++) {
    const page = pages.page(cursor)!
    names.push(...(JSON.parse(page.entries.toString('utf8')) as { name: string }[]).map(({ name }) => name))
    if (page.nextCursor === undefined) return { names, pageCount }
    cursor = page.nextCursor
  }
}

test.each([
  [0, 1],
  [1, 1],
  [pageSize - 1, 1],
  [pageSize, 1],
  [pageSize + 1, 2],
  [10 * pageSize, 10],
])('%i entries are read in order from %i pages', (count, pageCount) => {
  const entries = tools(count)
  const pages = paginate(entries)
  expect(pages.count).toBe(count)
  expect(readAll(pages)).toEqual({ names: entries.map(({ name }) => name), pageCount })
})

test('an entry is written as it came', () => {
  const entry = { name: 'a', z: 1, a: { __proto__x: null }, ключ: '😀' }
  expect(paginate([entry]).page(undefined)!.entries.toString('utf8')).toBe(JSON.stringify([entry]))
})

describe('a cursor', () => {
  test.each(['', 'x', '0', '1', '-1', '__proto__', 'constructor', 'toString', '../', '\0', 'A'.repeat(100_000)])(
    'that was never given leads nowhere: %j',
    (cursor) => {
      expect(paginate(tools(2 * pageSize)).page(cursor)).toBeUndefined()
    },
  )

  test('stays good when the list changes behind it', () => {
    const before = paginate(tools(pageSize + 5))
    const after = paginate(tools(pageSize + 9))
    const { nextCursor } = before.page(undefined)!
    expect(JSON.parse(after.page(nextCursor)!.entries.toString('utf8'))).toHaveLength(9)
  })

  test('is refused when the entry it names is gone, so that nothing is skipped', () => {
    const { nextCursor } = paginate(tools(pageSize + 5)).page(undefined)!
    expect(paginate(tools(pageSize + 5, 1)).page(nextCursor)).toBeUndefined()
    expect(paginate(tools(5)).page(nextCursor)).toBeUndefined()
  })
})

test('two lists are the same when every page is', () => {
  expect(paginate(tools(3)).equals(paginate(tools(3)))).toBe(true)
  expect(paginate([]).equals(paginate([]))).toBe(true)
  expect(paginate(tools(3)).equals(paginate(tools(3).toReversed()))).toBe(false)
  expect(paginate(tools(3)).equals(paginate(tools(4)))).toBe(false)
  expect(paginate(tools(pageSize)).equals(paginate(tools(pageSize + 1)))).toBe(false)
})

describe('the slots of an entry', () => {
  const descriptors = [
    { name: 'größe', description: 'x' },
    { description: '😀', name: 'last' },
    { _meta: { own: 1 }, name: 'after its meta' },
    { name: 'empty meta', _meta: {}, z: 1 },
    { name: 'no object', _meta: 'text' },
  ]

  test('are filled without touching the rest, as often as wanted', () => {
    const entries = descriptors.map((descriptor) =>
      shapeOwnTool({
        name: descriptor.name,
        origin: 'o',
        tags: [],
        descriptor,
        run: () => Promise.reject(new Error()),
      }),
    )
    for (const round of ['first', 'second', 'third']) {
      for (const entry of entries) {
        entry.rename(`${round} ${entry.original}`)
        entry.setFallbacks(round)
      }
      const pages = new ListPages(entries, { isHome: true })
      // What lies where it belongs is only copied.
      expect(new ListPages(entries, { isHome: true }).equals(pages)).toBe(true)
      expect(new ListPages(entries.slice(1), { isHome: true }).count).toBe(4)
      const plain = JSON.parse(new ListPages(entries, { hasMetadata: false }).page(undefined)!.entries.toString('utf8'))
      const allowed = descriptors.map(({ _meta, ...rest }) => ({
        ...rest,
        inputSchema: { type: 'object' },
        ...(typeof _meta === 'object' && { _meta }),
      }))
      expect(plain).toEqual(allowed.map((each) => ({ ...each, name: `${round} ${each.name}` })))
      const read = JSON.parse(pages.page(undefined)!.entries.toString('utf8')) as Record<string, unknown>[]
      expect(read).toEqual(
        allowed.map((descriptor) => ({
          ...descriptor,
          name: `${round} ${descriptor.name}`,
          _meta: {
            ...descriptor._meta,
            'x-herma': { server: 'herma', tool: descriptor.name, fallbacks: [round], origin: 'o' },
          },
        })),
      )
    }
  })
})

import { describe, expect, test } from 'vitest'
import { HubError } from '@herma/contract'
import { searchModeTools } from './search-mode.ts'
import { createModeCatalog, TestToolContext, textResult } from './testing/mode-setting.ts'

const catalog = createModeCatalog([
  {
    name: 'files__read_file',
    description: `Reads a file. ${'More words about it. '.repeat(50)}`,
    inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
  { name: 'files__write_file', description: 'Writes\na file.', tags: ['write'] },
  { name: 'mail__send', server: 'mail', description: 'Sends a mail with a file.', tags: ['write'] },
])
const [searchTools, describeTools, callTool] = searchModeTools(() => catalog)

async function search(args: Record<string, unknown>) {
  const result = await searchTools!.run(args, new TestToolContext())
  expect(JSON.parse(result.content[0]!['text'] as string)).toEqual(result.structuredContent)
  return result.structuredContent as {
    tools: { name: string; server: string; description: string; tokens: number }[]
    describeAllTokens: number
    catalog: unknown
    hint?: string
  }
}

test('the tools say honestly what they do', () => {
  const hints = [searchTools, describeTools, callTool].map((tool) => tool!.descriptor['annotations'])
  expect(hints[0]).toMatchObject({ readOnlyHint: true, destructiveHint: false })
  expect(hints[1]).toMatchObject({ readOnlyHint: true, destructiveHint: false })
  expect(hints[2]).toMatchObject({ readOnlyHint: false, destructiveHint: true })
})

describe('search_tools', () => {
  test('answers with the best tools, what describing them costs, and what all would cost', async () => {
    const { tools, describeAllTokens, catalog: whole } = await search({ query: 'read file', limit: 2 })
    expect(tools.map(({ name }) => name)).toEqual(['files__read_file', 'files__write_file'])
    expect(tools[0]).toMatchObject({ server: 'files', tokens: catalog.find('files__read_file')!.tokens })
    expect(describeAllTokens).toBe(tools[0]!.tokens + tools[1]!.tokens)
    const total = [...catalog.list()].reduce((sum, tool) => sum + tool.tokens, 0)
    expect(whole).toEqual({ tools: 3, servers: 2, tokens: total })
  })

  test('shortens descriptions to one line', async () => {
    const { tools } = await search({ query: 'file' })
    for (const { description } of tools) expect(description).toMatch(/^.{1,200}$/)
    expect(tools.find(({ name }) => name === 'files__write_file')!.description).toBe('Writes a file.')
  })

  test('lists tools when there is no query', async () => {
    expect((await search({ limit: 2 })).tools.map(({ name }) => name)).toEqual([
      'files__read_file',
      'files__write_file',
    ])
    expect((await search({ tag: 'write', limit: 1 })).tools.map(({ name }) => name)).toEqual(['files__write_file'])
  })

  test('looks at one server or tag only, and finds its best even when others are better', async () => {
    expect((await search({ query: 'file', server: 'mail', limit: 1 })).tools).toMatchObject([{ name: 'mail__send' }])
    expect((await search({ query: 'file', tag: 'write' })).tools).toHaveLength(2)
    expect((await search({ query: 'file', tag: 'none' })).hint).toContain('Nothing matches')
    expect((await search({ query: 'file', server: 'mial' })).hint).toContain('There are: files, mail.')
  })

  test.each([
    [{ query: 5 }, "'query'"],
    [{ query: 'a', limit: 0 }, "'limit'"],
    [{ query: 'a', limit: 51 }, '1 to 50'],
    [{ query: 'a', limit: 1.5 }, "'limit'"],
    [{ query: 'a', server: {} }, "'server'"],
    [{ query: 'a', tag: ['x'] }, "'tag'"],
  ])('refuses %j and says what it takes', async (args, part) => {
    const result = await searchTools!.run(args, new TestToolContext())
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(part) as string }] })
  })
})

describe('describe_tools', () => {
  const describeNames = (names: unknown) => describeTools!.run({ names }, new TestToolContext())

  test('answers with whole definitions and their cost', async () => {
    const tool = catalog.find('files__read_file')!
    expect((await describeNames(['files__read_file', 'files__read_file'])).structuredContent).toEqual({
      tools: [tool.descriptor()],
      tokens: tool.tokens,
    })
  })

  test('names the nearest tools for those that are unknown', async () => {
    const result = await describeNames(['mail__send', 'files_readfile'])
    expect(result.isError).toBeUndefined()
    expect(result.structuredContent).toMatchObject({
      tools: [{ name: 'mail__send' }],
      unknown: [{ name: 'files_readfile', nearest: ['files__read_file'] }],
    })
    expect(await describeNames(['nothing_like_it'])).toMatchObject({ isError: true })
  })

  test.each(['mail__send', '["mail__send"]'])('takes %j too', async (names) => {
    expect((await describeNames(names)).structuredContent).toMatchObject({ tools: [{ name: 'mail__send' }] })
  })

  test.each([[[]], [Array(21).fill('a')], [[1]], [undefined], [{}]])('refuses %j', async (names) => {
    expect(await describeNames(names)).toMatchObject({ isError: true })
  })
})

describe('call_tool', () => {
  test('passes the result on as it is', async () => {
    const answer = {
      content: [{ type: 'audio', data: '' }],
      structuredContent: { a: 1 },
      _meta: { 'x/y': 1 },
      other: 1,
    }
    const context = new TestToolContext(() => answer)
    expect(await callTool!.run({ name: 'mail__send', arguments: { to: 'a' } }, context)).toBe(answer)
    expect(context.called).toEqual([{ name: 'mail__send', args: { to: 'a' } }])
  })

  test('takes arguments that are written as a string, or none', async () => {
    const context = new TestToolContext()
    await callTool!.run({ name: 'mail__send', arguments: '{"to":"a"}' }, context)
    await callTool!.run({ name: 'mail__send' }, context)
    expect(context.called.map(({ args }) => args)).toEqual([{ to: 'a' }, {}])
  })

  test.each([
    [{ name: 'mail_send' }, 'Did you mean mail__send?'],
    [{ name: 'call_tool' }, "There is no tool 'call_tool'."],
    [{ name: '__proto__' }, 'There is no tool'],
    [{}, "'name'"],
    [{ name: 'mail__send', arguments: [1] }, "'arguments' takes an object"],
    [{ name: 'mail__send', arguments: 'to: a' }, 'describe_tools ["mail__send"]'],
  ])('answers %j with the next step and calls nothing', async (args, part) => {
    const context = new TestToolContext()
    const result = await callTool!.run(args, context)
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(part) as string }] })
    expect(context.called).toEqual([])
  })

  test('fails as the tool itself would', async () => {
    const error = new HubError('DOWNSTREAM_UNAVAILABLE', 'gone')
    const context = new TestToolContext(() => Promise.reject(error))
    await expect(callTool!.run({ name: 'mail__send' }, context)).rejects.toBe(error)
  })

  test('calls only what this caller may see', async () => {
    const [, , call] = searchModeTools(() => createModeCatalog([]))
    const context = new TestToolContext(() => textResult('secret'))
    expect(await call!.run({ name: 'mail__send' }, context)).toMatchObject({ isError: true })
    expect(context.called).toEqual([])
  })
})

import { describe, expect, test } from 'vitest'
import { HubError } from '@herma/contract'
import type { ToolContext } from '../core/own-tool.ts'
import { TestToolContext } from '../mode/testing/mode-setting.ts'
import { fetchResourceTool } from './fetch-resource.ts'
import type { LibraryContent, LibraryEntry, ResourceLibrary } from './resource-library.ts'
import { searchResourcesTool } from './search-resources.ts'

const entries: LibraryEntry[] = [
  {
    uri: 'https://example.com/cats',
    name: 'cats.md',
    title: 'About cats',
    description: 'Cats at home.',
    server: 'web',
  },
  { uri: 'file:///notes/dogs.txt', name: 'dogs.txt', description: 'Everything about dogs.', server: 'files' },
  { uri: 'memo://plan', name: '', server: 'memo' },
]

function createLibrary(contents: Record<string, LibraryContent[] | Error> = {}, list = entries): ResourceLibrary {
  return {
    list: () => list,
    async read(uri: string, _context: ToolContext) {
      const found = contents[uri] ?? new HubError('RESOURCE_NOT_FOUND', 'nobody has it')
      if (found instanceof Error) throw found
      return { contents: found }
    },
  }
}

describe('search', () => {
  const search = async (query: unknown, library = createLibrary()) =>
    await searchResourcesTool(library).run({ query }, new TestToolContext())

  test('answers with id, title and url, as structure and as one text', async () => {
    const results = [{ id: 'https://example.com/cats', title: 'About cats', url: 'https://example.com/cats' }]
    expect(await search('cat')).toEqual({
      content: [{ type: 'text', text: JSON.stringify({ results }) }],
      structuredContent: { results },
    })
  })

  test.each([
    ['everything about dogs', 'file:///notes/dogs.txt'],
    ['notes', 'file:///notes/dogs.txt'],
    ['plan', 'memo://plan'],
  ])('finds %j by its words', async (query, uri) => {
    const { structuredContent } = await search(query)
    expect((structuredContent as { results: { id: string }[] }).results[0]!.id).toBe(uri)
  })

  test('a resource without a name is called by its URI', async () => {
    expect((await search('plan')).structuredContent).toMatchObject({ results: [{ title: 'memo://plan' }] })
  })

  test('finds nothing where there is nothing', async () => {
    expect((await search('elephants')).structuredContent).toEqual({ results: [] })
    expect((await search('cats', createLibrary({}, []))).structuredContent).toEqual({ results: [] })
  })

  test('follows the list', async () => {
    const list = [...entries]
    const tool = searchResourcesTool({ ...createLibrary(), list: () => list })
    const ids = async () => {
      const { structuredContent } = await tool.run({ query: 'cats' }, new TestToolContext())
      return (structuredContent as { results: { title: string }[] }).results.map(({ title }) => title)
    }
    expect(await ids()).toEqual(['About cats'])
    list[0] = { ...entries[0]!, title: 'Big cats' }
    expect(await ids()).toEqual(['Big cats'])
    list.splice(0, 1)
    expect(await ids()).toEqual([])
  })

  test.each([undefined, '', '  ', 5])('refuses the query %j', async (query) => {
    expect(await search(query)).toMatchObject({ isError: true })
  })
})

describe('fetch', () => {
  const fetchFrom = async (library: ResourceLibrary, id: unknown) =>
    await fetchResourceTool(library).run({ id }, new TestToolContext())

  test('answers with the whole document, as structure and as one text', async () => {
    const uri = 'https://example.com/cats'
    const library = createLibrary({
      [uri]: [
        { uri, mimeType: 'text/markdown', text: '# Cats' },
        { uri: `${uri}/photo`, mimeType: 'image/png', blob: 'AAAA' },
        { text: 'The end.' },
      ],
    })
    const document = {
      id: uri,
      title: 'About cats',
      text: `# Cats\n\n[image/png, 3 bytes, not text: ${uri}/photo]\n\nThe end.`,
      url: uri,
      metadata: { server: 'web', mimeType: 'text/markdown, image/png' },
    }
    expect(await fetchFrom(library, uri)).toEqual({
      content: [{ type: 'text', text: JSON.stringify(document) }],
      structuredContent: document,
    })
  })

  test('reads what is not listed too', async () => {
    const library = createLibrary({ 'memo://other': [{ text: 'hidden' }] })
    expect((await fetchFrom(library, 'memo://other')).structuredContent).toEqual({
      id: 'memo://other',
      title: 'memo://other',
      text: 'hidden',
      url: 'memo://other',
      metadata: {},
    })
  })

  test('cuts a long document between two characters, and says so', async () => {
    const library = createLibrary({ 'memo://plan': [{ text: `x${'ü'.repeat(2 ** 20)}` }] })
    const { text, metadata } = (await fetchFrom(library, 'memo://plan')).structuredContent as Record<string, unknown>
    expect(text).toMatch(/^xü+\n\[Cut: 1048576 of 2097153 bytes\.\]$/)
    expect(metadata).toMatchObject({ truncated: 'true' })
  })

  test.each(['memo://nothing', '', undefined, 5])('answers the id %j with the next step', async (id) => {
    const result = await fetchFrom(createLibrary(), id)
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('search') as string }] })
  })

  test('passes on what goes wrong behind it', async () => {
    const error = new HubError('DOWNSTREAM_TIMEOUT', 'too slow')
    await expect(fetchFrom(createLibrary({ 'memo://plan': error }), 'memo://plan')).rejects.toBe(error)
  })
})

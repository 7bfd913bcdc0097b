import { offersOf, icons } from '../server/offers.ts'
import { mediaContent, weather } from '../server/content-tools.ts'
import { World } from '../server/world.ts'
import type { Cell } from '../cell.ts'
import { isObject, type Json } from '../wire-message.ts'
import { errorOf, expectSame, expectTrue, textOf } from './expect.ts'
import { introduced, type Feature } from './feature.ts'
import { listAll } from './list-all.ts'

const oddText = 'größe 😀 \u2028 "quoted" \\ \n line two'

/** What tools answer at once. */
export const contentFeatures: readonly Feature[] = [
  {
    name: 'tools',
    title: 'Tools: list and call',
    async run(cell) {
      const listed = await listAll(cell.client, 'tools/list', 'tools')
      const expected = offersOf(worldOf(cell)).tools.map((tool) => ({
        ...tool,
        name: cell.exposed(String(tool['name'])),
      }))
      const own = listed.filter((tool) => expected.some(({ name }) => name === tool['name'])).map(withoutOrigin)
      expectSame('the tools', own, expected)
      expectSame('echo', textOf(await cell.call('echo', { text: oddText })), oddText)
    },
  },
  {
    name: 'titles',
    title: 'Titles and `_meta` of tools, prompts and resources',
    needs: [introduced('The title field', '2025-06-18')],
    run: async (cell) => {
      const tool = await findTool(cell, 'echo')
      expectSame('title', tool['title'], 'Tool echo')
      expectSame('_meta', withoutOrigin(tool)['_meta'], { 'com.example/origin': cell.server.name })
    },
  },
  {
    name: 'annotations',
    title: 'Tool annotations',
    needs: [introduced('Tool annotations', '2025-03-26')],
    run: async (cell) => {
      const tool = await findTool(cell, 'echo')
      expectSame('annotations', tool['annotations'], { readOnlyHint: true, openWorldHint: false })
    },
  },
  {
    name: 'icons',
    title: 'Icons',
    needs: [introduced('The icons field', '2025-11-25')],
    run: async (cell) => expectSame('icons', (await findTool(cell, 'echo'))['icons'], icons),
  },
  {
    name: 'structured',
    title: 'Structured content and output schemas',
    instead: 'an older client gets the text that goes with it',
    needs: [introduced('Structured tool output', '2025-06-18')],
    async run(cell) {
      const tool = await findTool(cell, 'weather')
      expectTrue('the output schema is missing', isObject(tool['outputSchema']))
      expectSame('the structured content', (await cell.call('weather'))['structuredContent'], weather)
    },
    // An older client reads the text that goes with it.
    async otherwise(cell) {
      if (cell.kind.server < '2025-06-18') return
      expectSame('the text', JSON.parse(textOf(await cell.call('weather'))), weather)
    },
  },
  media('image', 'Images'),
  { ...media('audio', 'Audio'), needs: [introduced('Audio content', '2025-03-26')] },
  media('embedded', 'Embedded resources'),
  { ...media('link', 'Resource links'), needs: [introduced('Resource links', '2025-06-18')] },
  {
    name: 'errors',
    title: 'Errors of tools, and errors of requests with code and data',
    async run(cell) {
      const failed = await cell.call('fail', { how: 'tool' })
      expectSame('isError', failed['isError'], true)
      expectSame('the content', failed['content'], [{ type: 'text', text: 'It did not work.' }])
      const { code, message, data } = await errorOf(cell.call('fail', { how: 'request' }))
      const expected = { code: -32010, message: 'It was refused.', data: { why: 'test', list: [1, 2] } }
      expectSame('the error', { code, message, data }, expected)
    },
  },
]

function media(kind: string, title: string): Feature {
  return {
    name: kind,
    title,
    async run(cell) {
      const { content } = await cell.call('media', { kind })
      expectSame('the content', content, [mediaContent(kind, worldOf(cell))])
    },
  }
}

/** The same world as the server's, to know what it offers. */
export function worldOf({ server }: Cell): World {
  return new World({ revision: server.revision, name: server.name, journal: '' })
}

/** A tool without what Herma says of its own. */
function withoutOrigin(tool: Json): Json {
  const { _meta: meta, ...rest } = tool
  if (!isObject(meta)) return tool
  const { 'x-herma': _, ...kept } = meta
  return Object.keys(kept).length === 0 ? rest : { ...rest, _meta: kept }
}

async function findTool(cell: Cell, name: string): Promise<Json> {
  const tools = await listAll(cell.client, 'tools/list', 'tools')
  const found = tools.find((tool) => tool['name'] === cell.exposed(name))
  if (found === undefined) throw new Error(`There is no tool ${cell.exposed(name)}.`)
  return found
}

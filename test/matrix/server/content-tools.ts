import { knows } from '../revision.ts'
import { isObject, type Json } from '../wire-message.ts'
import { Refusal } from './request-context.ts'
import { failedResult, text, textResult, type ServedTool } from './served-tool.ts'
import type { World } from './world.ts'

/** The smallest PNG and WAV that are whole. */
export const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const sound = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

export const weather = { temperature: 21.5, conditions: 'sunny', stations: [{ id: 'a', ok: true }] }

/** Tools that answer at once, with every kind of content. */
export const contentTools: readonly ServedTool[] = [
  {
    name: 'echo',
    description: 'Says the same.',
    properties: { text },
    call: (args) => textResult(String(args['text'])),
  },
  {
    name: 'weather',
    description: 'Says the weather as data.',
    from: '2025-06-18',
    outputSchema: {
      type: 'object',
      properties: { temperature: { type: 'number' }, conditions: { type: 'string' }, stations: { type: 'array' } },
      required: ['temperature', 'conditions'],
    },
    call: () => ({ ...textResult(JSON.stringify(weather)), structuredContent: weather }),
  },
  {
    name: 'media',
    description: 'Answers with content of a kind.',
    properties: { kind: text },
    call: (args, _context, world) => ({ content: [mediaContent(String(args['kind']), world)] }),
  },
  {
    name: 'fail',
    description: 'Fails as a tool or as a request.',
    properties: { how: text },
    call: (args) => {
      if (args['how'] === 'tool') return failedResult('It did not work.')
      throw new Refusal(-32010, 'It was refused.', { why: 'test', list: [1, 2] })
    },
  },
  {
    name: 'inspect',
    description: 'Tells what the server was told.',
    call: (_args, { meta, client }) => textResult(JSON.stringify({ meta, ...client })),
  },
  {
    name: 'region',
    description: 'Wants its parameter mirrored into a header.',
    from: '2026-07-28',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
    call: (args) => textResult(`region ${String(args['region'])}`),
  },
]

/** One content block of the kind, if the server's revision has it. */
export function mediaContent(kind: string, world: World): Json {
  const annotations = { audience: ['user'], priority: 0.5 }
  const blocks: Record<string, Json | false> = {
    image: { type: 'image', data: picture, mimeType: 'image/png', annotations },
    audio: knows(world.revision, 'audio') && { type: 'audio', data: sound, mimeType: 'audio/wav' },
    embedded: { type: 'resource', resource: { uri: world.uri('note'), mimeType: 'text/plain', text: 'A note.' } },
    link: knows(world.revision, 'resourceLinks') && {
      type: 'resource_link',
      uri: world.uri('note'),
      name: 'note',
      title: 'Note',
    },
  }
  const block = blocks[kind]
  if (!isObject(block)) throw new Refusal(-32602, `There is no content of kind '${kind}' in ${world.revision}.`)
  return block
}

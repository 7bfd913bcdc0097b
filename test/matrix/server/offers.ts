import { knows, modernRevision, revisions } from '../revision.ts'
import type { Json } from '../wire-message.ts'
import { askingTools } from './asking-tools.ts'
import { contentTools, picture } from './content-tools.ts'
import { runningTools } from './running-tools.ts'
import type { ServedTool } from './served-tool.ts'
import type { World } from './world.ts'

export const icons = [{ src: `data:image/png;base64,${picture}`, mimeType: 'image/png', sizes: ['1x1'] }]

export function toolsOf(world: World): ServedTool[] {
  const all = [...contentTools, ...runningTools, ...askingTools]
  return all.filter(
    ({ from = revisions[0], until = modernRevision }) => from <= world.revision && world.revision <= until,
  )
}

/** What the server lists, with exactly the fields that its revision has. */
export function offersOf(world: World): Record<'tools' | 'prompts' | 'resources' | 'resourceTemplates', Json[]> {
  const { revision, added } = world
  const look = (title: string): Json => ({
    ...(knows(revision, 'titles') && { title }),
    ...(knows(revision, 'icons') && { icons }),
    ...(knows(revision, 'titles') && { _meta: { 'com.example/origin': world.name } }),
  })
  const tools = toolsOf(world).map(({ name, description, properties = {}, outputSchema }) => ({
    name,
    description,
    inputSchema: { type: 'object', properties },
    ...look(`Tool ${name}`),
    ...(knows(revision, 'annotations') && { annotations: { readOnlyHint: true, openWorldHint: false } }),
    ...(outputSchema !== undefined && { outputSchema }),
  }))
  const prompts = [
    {
      name: 'greet',
      description: 'Greets somebody.',
      arguments: [{ name: 'name', description: 'Whom.', required: true }, { name: 'style' }],
      ...look('Greet'),
    },
    { name: 'ask_first', description: 'Asks the model before it answers.', ...look('Ask first') },
  ]
  const resources = [
    { uri: world.uri('note'), name: 'note', mimeType: 'text/plain', size: 7, ...look('Note') },
    { uri: world.uri('picture'), name: 'picture', mimeType: 'image/png', ...look('Picture') },
    { uri: world.uri('asking'), name: 'asking', mimeType: 'text/plain', ...look('Asking') },
  ]
  const template = { uriTemplate: world.uri('item/{id}'), name: 'item', mimeType: 'text/plain', ...look('Item') }
  return {
    tools: [...tools, ...[...added.tools].map((name) => ({ name, inputSchema: { type: 'object' } }))],
    prompts: [...prompts, ...[...added.prompts].map((name) => ({ name }))],
    resources: [...resources, ...[...added.resources].map((name) => ({ uri: world.uri(name), name }))],
    resourceTemplates: [template],
  }
}

/** What the server can do, in the words of its revision. */
export function capabilitiesOf(world: World): Json {
  return {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    logging: {},
    ...(knows(world.revision, 'completionsCapability') && { completions: {} }),
    experimental: { [`matrix/${world.name}`]: { answer: 42 } },
  }
}

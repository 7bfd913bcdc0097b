import { knows } from '../revision.ts'
import { isObject, type Json } from '../wire-message.ts'
import { sampledText } from './asking-tools.ts'
import { picture } from './content-tools.ts'
import { offersOf, toolsOf } from './offers.ts'
import { samplingQuestion } from './questions.ts'
import { Refusal, type RequestContext } from './request-context.ts'
import type { World } from './world.ts'

type Method = (world: World, context: RequestContext) => Json | Promise<Json>

const pageSize = 4

/** The requests that both eras have. */
export const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['tools/list', (world, context) => list(world, context, 'tools')],
  ['prompts/list', (world, context) => list(world, context, 'prompts')],
  ['resources/list', (world, context) => list(world, context, 'resources')],
  ['resources/templates/list', (world, context) => list(world, context, 'resourceTemplates')],
  ['tools/call', callTool],
  ['prompts/get', getPrompt],
  ['resources/read', readResource],
  ['completion/complete', complete],
])

/** A method of no specification, which a gateway must still bring to the server that has it. */
export function customMethod(world: World): string {
  return `matrix/${world.name}`
}

function list(world: World, { params }: RequestContext, kind: keyof ReturnType<typeof offersOf>): Json {
  world.catchUp()
  const all = offersOf(world)[kind]
  const from = Number(params['cursor'] ?? 0)
  if (!Number.isInteger(from) || from < 0) throw new Refusal(-32602, 'The cursor is not one of ours.')
  const next = from + pageSize
  return { [kind]: all.slice(from, next), ...(next < all.length && { nextCursor: String(next) }) }
}

async function callTool(world: World, context: RequestContext): Promise<Json> {
  const tool = toolsOf(world).find(({ name }) => name === context.params['name'])
  if (tool === undefined) throw new Refusal(-32602, `Unknown tool: ${String(context.params['name'])}`)
  const args = context.params['arguments']
  return tool.call(isObject(args) ? args : {}, context, world)
}

async function getPrompt(_world: World, context: RequestContext): Promise<Json> {
  const { params } = context
  const args = isObject(params['arguments']) ? params['arguments'] : {}
  const says = (text: string) => ({ messages: [{ role: 'user', content: { type: 'text', text } }] })
  if (params['name'] === 'greet') {
    if (args['name'] === undefined) throw new Refusal(-32602, 'greet needs the argument name.')
    return {
      description: 'A greeting.',
      ...says(`Greet ${String(args['name'])} ${String(args['style'] ?? 'plainly')}.`),
    }
  }
  if (params['name'] !== 'ask_first') throw new Refusal(-32602, `Unknown prompt: ${String(params['name'])}`)
  const { model } = await context.ask({ model: samplingQuestion('prompt') })
  return says(`prompt: ${sampledText(model!)}`)
}

async function readResource(world: World, context: RequestContext): Promise<Json> {
  world.catchUp()
  const uri = String(context.params['uri'])
  const says = (text: string) => ({ contents: [{ uri, mimeType: 'text/plain', text }] })
  if (uri === world.uri('note')) return says('A note.')
  if (uri === world.uri('picture')) return { contents: [{ uri, mimeType: 'image/png', blob: picture }] }
  if (uri.startsWith(world.uri('item/'))) return says(`version ${world.version(uri)}`)
  if (uri === world.uri('asking')) {
    const { model } = await context.ask({ model: samplingQuestion('resource') })
    return says(`resource: ${sampledText(model!)}`)
  }
  // https://modelcontextprotocol.io/specification/2026-07-28/changelog: the code changed with that revision.
  const code = world.revision === '2026-07-28' ? -32602 : -32002
  throw new Refusal(code, 'Resource not found', { uri })
}

function complete(world: World, { params }: RequestContext): Json {
  const ref = params['ref'] as Json
  const argument = params['argument'] as Json
  const known = knows(world.revision, 'completionContext') ? params['context'] : undefined
  const earlier = isObject(known) && isObject(known['arguments']) ? known['arguments'] : {}
  const target = ref['type'] === 'ref/prompt' ? ref['name'] : ref['uri']
  const expected = ref['type'] === 'ref/prompt' ? 'greet' : world.uri('item/{id}')
  if (target !== expected) throw new Refusal(-32602, `Nothing to complete in ${String(target)}.`)
  const values = ['one', 'two', 'three'].map(
    (end) => `${String(argument['value'])}-${end}${Object.values(earlier).join('')}`,
  )
  return { completion: { values, total: 3, hasMore: false } }
}

import { isObject, type Json } from '../wire-message.ts'
import { formQuestion, rootsQuestion, samplingQuestion, toolSamplingQuestion, urlQuestion } from './questions.ts'
import { Refusal } from './request-context.ts'
import { text, textResult, type ServedTool } from './served-tool.ts'

const key = text

/** Tools that need something of the client before they can answer. */
export const askingTools: readonly ServedTool[] = [
  {
    name: 'sample',
    description: 'Asks the model once.',
    properties: { key },
    async call(args, context) {
      const { model } = await context.ask({ model: samplingQuestion(String(args['key'])) })
      return textResult(`${String(args['key'])}: ${sampledText(model!)}`)
    },
  },
  {
    name: 'sample_with_tools',
    description: 'Lets the model use a tool.',
    from: '2025-11-25',
    properties: { key },
    async call(args, context) {
      const said = String(args['key'])
      const { first } = await context.ask({ first: toolSamplingQuestion(said, null) })
      const content = Array.isArray(first!['content']) ? (first!['content'] as Json[]) : [first!['content'] as Json]
      const use = content.find((block) => block['type'] === 'tool_use')
      if (use === undefined) throw new Error(`The model used no tool: ${JSON.stringify(first)}`)
      const { second } = await context.ask({ second: toolSamplingQuestion(said, use) })
      return textResult(`${said}: ${sampledText(second!)}`)
    },
  },
  {
    name: 'roots',
    description: 'Asks for the roots.',
    async call(_args, context) {
      const { roots } = await context.ask({ roots: rootsQuestion })
      return textResult(JSON.stringify(roots!['roots']))
    },
  },
  {
    name: 'elicit',
    description: 'Asks the person.',
    from: '2025-06-18',
    properties: { key, kind: text },
    async call(args, context, { revision }) {
      const kind = String(args['kind'])
      const name = String(args['key'])
      const question =
        kind === 'url' ? urlQuestion(revision, name) : formQuestion(revision, kind as 'plain' | 'rich', name)
      const { person } = await context.ask({ person: question })
      const { elicitationId } = question.params
      if (elicitationId !== undefined) context.notify('notifications/elicitation/complete', { elicitationId })
      return textResult(JSON.stringify(withoutMeta(person!)))
    },
  },
  {
    name: 'sign',
    description: 'Is refused until a page was opened.',
    // The code -32042 was in one revision only.
    from: '2025-11-25',
    until: '2025-11-25',
    properties: { key },
    call(args, _context, world) {
      const name = String(args['key'])
      if (world.isNoted('signed', name)) return textResult(`signed ${name}`)
      world.note('signed', name)
      const elicitations = [urlQuestion(world.revision, name).params]
      throw new Refusal(-32042, 'This needs a signature first.', { elicitations })
    },
  },
  {
    name: 'survey',
    description: 'Asks two things at once.',
    properties: { key },
    async call(args, context) {
      const said = String(args['key'])
      const { model, roots } = await context.ask({ model: samplingQuestion(said), roots: rootsQuestion })
      return textResult(`${said}: ${sampledText(model!)} ${JSON.stringify(roots!['roots'])}`)
    },
  },
  {
    name: 'interview',
    description: 'Asks again with what it was told, and reports progress between.',
    properties: { key },
    async call(args, context) {
      const said = String(args['key'])
      const { first } = await context.ask({ first: samplingQuestion(said) })
      context.progress({ progress: 1, total: 2 })
      const { second } = await context.ask({ second: samplingQuestion(`${sampledText(first!)}?`) })
      context.progress({ progress: 2, total: 2 })
      return textResult(`${said}: ${sampledText(first!)}, ${sampledText(second!)}`)
    },
  },
]

export function sampledText(result: Json): string {
  const content = result['content']
  const block = Array.isArray(content) ? content[0] : content
  return isObject(block) && typeof block['text'] === 'string' ? block['text'] : JSON.stringify(result)
}

function withoutMeta(result: Json): Json {
  const { _meta, ...rest } = result
  return rest
}

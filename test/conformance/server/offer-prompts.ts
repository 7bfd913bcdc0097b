import {
  acceptedContent,
  fromJsonSchema,
  inputRequired,
  type GetPromptResult,
  type McpServer,
  type PromptMessage,
  type RegisteredPrompt,
} from '@modelcontextprotocol/server'
import { embedded, image, text } from './content.ts'
import { fieldSchema } from './elicitation-schemas.ts'
import type { World } from './world.ts'

const cities = ['paris', 'parma', 'partille', 'porto']

/** Prompts of every kind, with completion of their arguments. Returns the one that comes and goes. */
export function offerPrompts(mcp: McpServer, world: World): RegisteredPrompt {
  mcp.registerPrompt('test_simple_prompt', { description: 'Has no arguments.' }, () =>
    messages(text('This is a simple prompt for testing.')),
  )
  mcp.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'Has two arguments.',
      argsSchema: fromJsonSchema<{ arg1: string; arg2: string }>(strings('arg1', 'arg2')),
    },
    ({ arg1, arg2 }) => messages(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  )
  mcp.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'Embeds a resource.', argsSchema: fromJsonSchema<{ resourceUri: string }>(strings('resourceUri')) },
    ({ resourceUri }) =>
      messages(
        embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
        text('Please process the embedded resource above.'),
      ),
  )
  mcp.registerPrompt('test_prompt_with_image', { description: 'Shows a picture.' }, () =>
    messages(image, text('Please analyze the image above.')),
  )
  mcp.registerPrompt('test_input_required_result_prompt', { description: 'Asks for context.' }, ({ mcpReq }) => {
    const answer = acceptedContent<{ context: string }>(mcpReq.inputResponses, 'user_context')
    if (answer) return messages(text(`Context: ${answer.context}`))
    const question = { message: 'What context should the prompt use?', requestedSchema: fieldSchema('context') }
    return inputRequired({ inputRequests: { user_context: inputRequired.elicit(question) } })
  })
  mcp.server.setRequestHandler('completion/complete', ({ params }) => {
    const values = cities.filter((city) => city.startsWith(params.argument.value))
    return { completion: { values, total: values.length, hasMore: false } }
  })
  const extra = mcp.registerPrompt('test_extra_prompt', { description: 'Is there only sometimes.' }, () =>
    messages(text('Here I am.')),
  )
  extra.update({ enabled: world.hasExtraPrompt })
  return extra
}

function messages(...contents: PromptMessage['content'][]): GetPromptResult {
  return { messages: contents.map((content) => ({ role: 'user', content })) }
}

function strings(...names: string[]) {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  return { type: 'object' as const, properties, required: names }
}

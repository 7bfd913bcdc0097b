import {
  acceptedContent,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  type ElicitRequestFormParams,
  type InputRequests,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { defaultsSchema, enumsSchema, fieldSchema, personSchema } from './elicitation-schemas.ts'
import { textResult } from './content.ts'
import type { World } from './world.ts'

type FormSchema = ElicitRequestFormParams['requestedSchema']

/**
 * Tools that need an answer of the client before they can give theirs. Each returns `input_required` and is called
 * again with the answer; for a legacy client the SDK sends the same questions as requests of the server.
 */
export function offerAskingTools(mcp: McpServer, world: World): void {
  const promptArgument = fromJsonSchema<{ prompt: string }>(requiredString('prompt'))
  mcp.registerTool(
    'test_sampling',
    { description: 'Asks the model.', inputSchema: promptArgument },
    ({ prompt }, context) => askModel(context, { key: 'answer', prompt, maxTokens: 100 }),
  )
  mcp.registerTool('test_input_required_result_sampling', { description: 'Asks the model for a capital.' }, (context) =>
    askModel(context, { key: 'capital_question', prompt: 'What is the capital of France?', maxTokens: 100 }),
  )
  mcp.registerTool('test_missing_capability', { description: 'Needs sampling, declared or not.' }, (context) =>
    askModel(context, { key: 'answer', prompt: 'Say something.', maxTokens: 10 }),
  )

  const messageArgument = fromJsonSchema<{ message: string }>(requiredString('message'))
  mcp.registerTool(
    'test_elicitation',
    { description: 'Asks who you are.', inputSchema: messageArgument },
    ({ message }, context) =>
      askPerson(context, { key: 'person', message, schema: personSchema, label: 'User response' }),
  )
  const forms = {
    test_elicitation_sep1034_defaults: defaultsSchema,
    test_elicitation_sep1330_enums: enumsSchema,
    test_streaming_elicitation: fieldSchema('name'),
  }
  for (const [name, schema] of Object.entries(forms)) {
    mcp.registerTool(name, { description: 'Asks with a form.' }, (context) =>
      askPerson(context, { key: 'form', message: 'Please fill in the form.', schema, label: 'Elicitation completed' }),
    )
  }
  mcp.registerTool('test_input_required_result_elicitation', { description: 'Asks your name.' }, ({ mcpReq }) => {
    const name = acceptedContent<{ name: string }>(mcpReq.inputResponses, 'user_name')?.name
    return name === undefined
      ? inputRequired({ inputRequests: { user_name: nameQuestion } })
      : textResult(`Hello, ${name}!`)
  })
  mcp.registerTool('test_input_required_result_list_roots', { description: 'Asks for your roots.' }, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'client_roots')
    if (answer.kind !== 'roots') return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
    return textResult(`Roots: ${answer.roots.map((root) => root.uri).join(', ')}`)
  })
  offerCapabilityTool(mcp)
  offerStatefulTools(mcp, world)
}

/** Asks only what the client can answer. */
function offerCapabilityTool(mcp: McpServer): void {
  mcp.registerTool(
    'test_input_required_result_capabilities',
    { description: 'Asks what you can answer.' },
    ({ mcpReq }) => {
      const declared = mcp.server.getClientCapabilities()
      const questions: InputRequests = {}
      if (declared?.elicitation) questions['user_name'] = nameQuestion
      if (declared?.sampling) questions['greeting'] = modelQuestion('Generate a greeting', 50)
      const isOpen = Object.keys(questions).some((key) => mcpReq.inputResponses?.[key] === undefined)
      return isOpen ? inputRequired({ inputRequests: questions }) : textResult('Nothing more to ask.')
    },
  )
}

/** These keep where they are in a sealed `requestState`; the SDK refuses a state that was tampered with. */
function offerStatefulTools(mcp: McpServer, world: World): void {
  const confirm = inputRequired.elicit({
    message: 'Please confirm',
    requestedSchema: fieldSchema('ok', { type: 'boolean' }),
  })
  const ask = async (context: ServerContext, step: string, inputRequests: InputRequests) =>
    inputRequired({ inputRequests, requestState: await world.states.mint({ step }, context) })

  for (const name of ['test_input_required_result_request_state', 'test_input_required_result_tampered_state']) {
    mcp.registerTool(name, { description: 'Asks to confirm and remembers that it asked.' }, (context) =>
      stepOf(context) === 'confirm' && context.mcpReq.inputResponses?.['confirm']
        ? textResult('state-ok')
        : ask(context, 'confirm', { confirm }),
    )
  }
  mcp.registerTool(
    'test_input_required_result_multiple_inputs',
    { description: 'Asks three things at once.' },
    (context) => {
      const questions = {
        user_name: nameQuestion,
        greeting: modelQuestion('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      }
      const isAnswered = Object.keys(questions).every((key) => context.mcpReq.inputResponses?.[key] !== undefined)
      return stepOf(context) === 'all' && isAnswered
        ? textResult('All three answers came.')
        : ask(context, 'all', questions)
    },
  )
  mcp.registerTool('test_input_required_result_multi_round', { description: 'Asks twice.' }, (context) => {
    const { inputResponses } = context.mcpReq
    if (stepOf(context) === 'two' && inputResponses?.['step2']) return textResult('Both answers came.')
    if (stepOf(context) !== 'one' || !inputResponses?.['step1']) return ask(context, 'one', { step1: nameQuestion })
    const color = { message: 'Step 2: What is your favorite color?', requestedSchema: fieldSchema('color') }
    return ask(context, 'two', { step2: inputRequired.elicit(color) })
  })
}

function stepOf({ mcpReq }: ServerContext): string | undefined {
  return mcpReq.requestState<{ step: string }>()?.step
}

function askModel({ mcpReq }: ServerContext, question: { key: string; prompt: string; maxTokens: number }) {
  const answer = inputResponse(mcpReq.inputResponses, question.key)
  if (answer.kind !== 'sampling') {
    return inputRequired({ inputRequests: { [question.key]: modelQuestion(question.prompt, question.maxTokens) } })
  }
  return textResult(`LLM response: ${JSON.stringify(answer.result.content)}`)
}

function askPerson(
  { mcpReq }: ServerContext,
  form: { key: string; message: string; schema: FormSchema; label: string },
) {
  const answer = inputResponse(mcpReq.inputResponses, form.key)
  if (answer.kind !== 'elicit') {
    const question = inputRequired.elicit({ message: form.message, requestedSchema: form.schema })
    return inputRequired({ inputRequests: { [form.key]: question } })
  }
  return textResult(`${form.label}: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`)
}

const nameQuestion = inputRequired.elicit({ message: 'What is your name?', requestedSchema: fieldSchema('name') })

function modelQuestion(prompt: string, maxTokens: number) {
  return inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    maxTokens,
  })
}

function requiredString(name: string) {
  return { type: 'object', properties: { [name]: { type: 'string' } }, required: [name] } as const
}

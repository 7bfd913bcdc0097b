import { jsonSchema, type Answer, type AnyApp, type Context } from '@herma/framework'
import { defaultsSchema, enumsSchema, fieldSchema, personSchema } from '../server/elicitation-schemas.ts'

type Fields = Record<string, unknown>

/** Tools that need an answer of the client. The same handlers serve both eras. */
export function offerQuestions(app: AnyApp): void {
  app
    .tool(
      'test_sampling',
      { description: 'Asks the model.', input: jsonSchema<{ prompt: string }>(fieldSchema('prompt')) },
      ({ prompt }, context) => askModel(context, 'answer', prompt, 100),
    )
    .tool('test_input_required_result_sampling', { description: 'Asks the model for a capital.' }, (_, context) =>
      askModel(context, 'capital_question', 'What is the capital of France?', 100),
    )
    .tool('test_missing_capability', { description: 'Needs sampling, declared or not.' }, (_, context) =>
      askModel(context, 'answer', 'Say something.', 10),
    )
    .tool(
      'test_elicitation',
      { description: 'Asks who you are.', input: jsonSchema<{ message: string }>(fieldSchema('message')) },
      async ({ message }, context) =>
        describe(
          'User response',
          await context.elicit('person', { message, schema: jsonSchema<Fields>(personSchema) }),
        ),
    )
    .tool('test_input_required_result_elicitation', { description: 'Asks your name.' }, async (_, context) => {
      const answer = await askName(context, 'user_name')
      return answer.action === 'accept' ? `Hello, ${String(answer.value['name'])}!` : 'Hello, stranger!'
    })
    .tool('test_input_required_result_list_roots', { description: 'Asks for your roots.' }, async (_, context) => {
      const roots = await context.roots()
      return `Roots: ${roots.map((root) => root.uri).join(', ')}`
    })
    .tool(
      'test_input_required_result_capabilities',
      { description: 'Asks what you can answer.' },
      async (_, context) => {
        const { client } = context
        await Promise.all([
          ...(client.can('elicitation') ? [askName(context, 'user_name')] : []),
          ...(client.can('sampling') ? [askModel(context, 'greeting', 'Generate a greeting', 50)] : []),
        ])
        return 'Nothing more to ask.'
      },
    )
    .tool(
      'test_input_required_result_multiple_inputs',
      { description: 'Asks three things at once.' },
      async (_, context) => {
        const asked = [
          askName(context, 'user_name'),
          askModel(context, 'greeting', 'Generate a greeting', 50),
          context.roots(),
        ]
        await Promise.all(asked)
        return 'All three answers came.'
      },
    )
    .tool('test_input_required_result_multi_round', { description: 'Asks twice.' }, async (_, context) => {
      await askName(context, 'step1')
      const schema = jsonSchema<Fields>(fieldSchema('color'))
      await context.elicit('step2', { message: 'Step 2: What is your favorite color?', schema })
      return 'Both answers came.'
    })
  const forms = {
    test_elicitation_sep1034_defaults: defaultsSchema,
    test_elicitation_sep1330_enums: enumsSchema,
    test_streaming_elicitation: fieldSchema('name'),
  }
  for (const [name, form] of Object.entries(forms)) {
    app.tool(name, { description: 'Asks with a form.' }, async (_, context) => {
      const schema = jsonSchema<Fields>(form)
      return describe(
        'Elicitation completed',
        await context.elicit('form', { message: 'Please fill in the form.', schema }),
      )
    })
  }
  for (const name of ['test_input_required_result_request_state', 'test_input_required_result_tampered_state']) {
    app.tool(name, { description: 'Asks to confirm and remembers that it asked.' }, async (_, context) => {
      const schema = jsonSchema<Fields>(fieldSchema('ok', { type: 'boolean' }))
      await context.elicit('confirm', { message: 'Please confirm', schema })
      return 'state-ok'
    })
  }
}

function askName(context: Context, key: string) {
  return context.elicit(key, { message: 'What is your name?', schema: jsonSchema<Fields>(fieldSchema('name')) })
}

async function askModel(context: Context, key: string, prompt: string, maxTokens: number): Promise<string> {
  const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: prompt } }]
  const answer = await context.sample(key, { messages, maxTokens })
  return `LLM response: ${JSON.stringify(answer.content)}`
}

function describe(label: string, answer: Answer<Fields>): string {
  const content = answer.action === 'accept' ? answer.value : {}
  return `${label}: action=${answer.action}, content=${JSON.stringify(content)}`
}

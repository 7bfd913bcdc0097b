import { setTimeout as sleep } from 'node:timers/promises'
import { jsonSchema, server, type AnyApp } from '@herma/framework'
import { embedded, image, text } from '../server/content.ts'
import { fieldSchema } from '../server/elicitation-schemas.ts'
import { headerSchema, vocabularySchema } from '../server/wire-schemas.ts'
import { offerContent } from './offer-content.ts'
import { offerQuestions } from './offer-questions.ts'

const watchedUri = 'test://watched-resource'
const cities = ['paris', 'parma', 'partille', 'porto']

/** A server of the framework with every tool, resource and prompt that the scenarios name. */
export function buildEverything(): AnyApp {
  const app: AnyApp = server({ name: 'herma-framework-conformance', version: '1.0.0' })
  offerContent(app)
  offerQuestions(app)
  offerWire(app)
  offerResources(app)
  offerPrompts(app)
  return app
}

function offerWire(app: AnyApp): void {
  app
    .tool('test_reconnection', { description: 'Closes its stream before it answers.' }, async (_, { http }) => {
      http?.closeStream?.()
      await sleep(100)
      return 'The answer came after the stream was closed.'
    })
    .tool(
      'test_header_parameter',
      { description: 'Its region is mirrored in a header.', input: jsonSchema<{ region?: string }>(headerSchema) },
      ({ region }) => `region=${region ?? ''}`,
    )
    .tool(
      'json_schema_2020_12_tool',
      { description: 'Its schema uses the whole vocabulary.', input: jsonSchema<object>(vocabularySchema) },
      (contact) => JSON.stringify(contact),
    )
    .tool('test_trigger_tool_change', { description: 'Adds or removes a tool.' }, () => {
      if (!app.remove('tool', 'test_extra_tool'))
        app.tool('test_extra_tool', { description: 'Is there only sometimes.' }, () => 'Here.')
      return 'The list of tools changed.'
    })
    .tool('test_trigger_prompt_change', { description: 'Adds or removes a prompt.' }, () => {
      if (!app.remove('prompt', 'test_extra_prompt'))
        app.prompt('test_extra_prompt', { description: 'Is there only sometimes.' }, () => 'Here I am.')
      return 'The list of prompts changed.'
    })
}

function offerResources(app: AnyApp): void {
  let edition = 1
  app
    .resource(
      'test://static-text',
      { name: 'static-text', mimeType: 'text/plain' },
      () => 'This is the content of the static text resource.',
    )
    .resource('test://static-binary', { name: 'static-binary', mimeType: 'image/png' }, () =>
      Buffer.from(image.data, 'base64'),
    )
    .resource(watchedUri, { name: 'watched-resource', mimeType: 'text/plain' }, () => `Edition ${edition}.`)
    .resource('test://template/{id}/data', { name: 'template', mimeType: 'application/json' }, ({ id }) =>
      JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    )
    .tool('test_trigger_resource_update', { description: 'Changes the watched resource.' }, (_, { notify }) => {
      edition++
      notify.resourceUpdated(watchedUri)
      return 'The watched resource changed.'
    })
}

function offerPrompts(app: AnyApp): void {
  const complete = { arg1: cities, arg2: cities }
  const strings = jsonSchema<{ arg1: string; arg2: string }>({
    type: 'object',
    properties: { arg1: { type: 'string' }, arg2: { type: 'string' } },
    required: ['arg1', 'arg2'],
  })
  app
    .prompt('test_simple_prompt', { description: 'Has no arguments.' }, () => 'This is a simple prompt for testing.')
    .prompt(
      'test_prompt_with_arguments',
      { description: 'Has two arguments.', args: strings, complete },
      ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
    )
    .prompt(
      'test_prompt_with_embedded_resource',
      { description: 'Embeds a resource.', args: jsonSchema<{ resourceUri: string }>(fieldSchema('resourceUri')) },
      ({ resourceUri }) => [
        { role: 'user', content: embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.') },
        { role: 'user', content: text('Please process the embedded resource above.') },
      ],
    )
    .prompt('test_prompt_with_image', { description: 'Shows a picture.' }, () => [
      { role: 'user', content: image },
      { role: 'user', content: text('Please analyze the image above.') },
    ])
    .prompt('test_input_required_result_prompt', { description: 'Asks for context.' }, async (_, context) => {
      const schema = jsonSchema<{ context: string }>(fieldSchema('context'))
      const answer = await context.elicit('user_context', { message: 'What context should the prompt use?', schema })
      return answer.action === 'accept' ? `Context: ${answer.value.context}` : 'No context.'
    })
}

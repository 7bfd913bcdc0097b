import { knows, type Revision } from '../revision.ts'
import type { Json, Question } from '../wire-message.ts'

/** What the servers ask, so that the client's side can compare it with what arrived. */

export function samplingQuestion(text: string): Question {
  return {
    method: 'sampling/createMessage',
    params: {
      messages: [{ role: 'user', content: { type: 'text', text } }],
      modelPreferences: { hints: [{ name: 'small' }], speedPriority: 0.5 },
      systemPrompt: 'Be brief.',
      maxTokens: 100,
    },
  }
}

const weatherTool = {
  name: 'weather',
  description: 'Says the weather.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

/** The first round offers a tool; the second brings what the model asked of it. */
export function toolSamplingQuestion(text: string, use: Json | null): Question {
  const question = { role: 'user', content: { type: 'text', text } }
  const result = { type: 'tool_result', toolUseId: use?.['id'], content: [{ type: 'text', text: 'Sunny.' }] }
  const messages =
    use === null ? [question] : [question, { role: 'assistant', content: [use] }, { role: 'user', content: [result] }]
  return {
    method: 'sampling/createMessage',
    params: { messages, maxTokens: 100, tools: [weatherTool], toolChoice: { mode: 'auto' } },
  }
}

export const rootsQuestion: Question = { method: 'roots/list', params: {} }

const plainFields = {
  name: { type: 'string', title: 'Name', minLength: 2, maxLength: 20 },
  mail: { type: 'string', format: 'email', description: 'Where to write to.' },
  age: { type: 'integer', minimum: 0, maximum: 150 },
  agree: { type: 'boolean', default: false },
  color: { type: 'string', enum: ['red', 'green'], enumNames: ['Red', 'Green'] },
}

const richFields = {
  name: { type: 'string', default: 'Ada' },
  share: { type: 'number', minimum: 0, maximum: 1, default: 0.5 },
  color: { type: 'string', enum: ['red', 'green'], default: 'green' },
  size: {
    type: 'string',
    oneOf: [
      { const: 's', title: 'Small' },
      { const: 'l', title: 'Large' },
    ],
    default: 'l',
  },
  days: {
    type: 'array',
    minItems: 1,
    maxItems: 2,
    items: {
      anyOf: [
        { const: 'mo', title: 'Monday' },
        { const: 'tu', title: 'Tuesday' },
      ],
    },
    default: ['tu'],
  },
}

export function formQuestion(revision: Revision, kind: 'plain' | 'rich', key: string): Question {
  const properties = kind === 'plain' ? plainFields : richFields
  const required = kind === 'plain' ? ['name', 'agree'] : ['name']
  return {
    method: 'elicitation/create',
    params: {
      ...(knows(revision, 'urlElicitation') && { mode: 'form' }),
      message: `Please fill in ${key}.`,
      requestedSchema: { type: 'object', properties, required },
    },
  }
}

export function urlQuestion(revision: Revision, key: string): Question {
  const params = { mode: 'url', message: `Please sign ${key}.`, url: `https://example.com/sign?key=${key}` }
  // The id was in one revision only: https://modelcontextprotocol.io/specification/2026-07-28/changelog
  return {
    method: 'elicitation/create',
    params: revision === '2025-11-25' ? { ...params, elicitationId: `sign-${key}` } : params,
  }
}

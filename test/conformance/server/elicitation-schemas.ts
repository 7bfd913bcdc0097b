import type { ElicitRequestFormParams } from '@modelcontextprotocol/server'

type FormSchema = ElicitRequestFormParams['requestedSchema']

/** A form with one required field. */
export function fieldSchema(name: string, field: FormSchema['properties'][string] = { type: 'string' }): FormSchema {
  return { type: 'object', properties: { [name]: field }, required: [name] }
}

export const personSchema: FormSchema = {
  type: 'object',
  properties: {
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  },
  required: ['username', 'email'],
}

/** A default for every primitive type (SEP-1034). */
export const defaultsSchema: FormSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
}

const titled = (noun: string) => [
  { const: 'value1', title: `First ${noun}` },
  { const: 'value2', title: `Second ${noun}` },
  { const: 'value3', title: `Third ${noun}` },
]

/** Every way to write a choice (SEP-1330). */
export const enumsSchema: FormSchema = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string', oneOf: titled('Option') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
  },
}

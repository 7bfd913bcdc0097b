import { randomUUID } from 'node:crypto'
import type { Question } from '../message/call.ts'
import { isObject } from '@herma/framework/wire'
import type { Params } from '../message/message.ts'
import { modernRevision } from '../revision.ts'

/** URL mode, titled choices and tools in sampling came with this revision. */
const richQuestions = '2025-11-25'

/**
 * A question as a client of this revision knows it. What a revision cannot express is passed as it is: the capabilities
 * that a server was told keep it from asking.
 */
export function translateQuestion(given: Question, revision: string): WireQuestion {
  const question = toWire(given)
  const { method, params } = question
  if (method !== 'elicitation/create' || given.params === undefined) return question
  if (revision === modernRevision) {
    if (params['elicitationId'] === undefined) return question
    const { elicitationId: _, ...rest } = params
    return { method, params: rest }
  }
  if (revision >= richQuestions) {
    if (params['mode'] !== 'url' || params['elicitationId'] !== undefined) return question
    return { method, params: { ...params, elicitationId: randomUUID() } }
  }
  const { mode: _, requestedSchema, ...rest } = params
  return { method, params: { ...rest, requestedSchema: withEnumNames(requestedSchema) } }
}

type WireQuestion = Question & { readonly params: Params }

/**
 * What goes on the wire of a question. Progress of its answer is not relayed, so nobody is asked to report it. A server
 * may leave `params` out; the client of the Go SDK then fails, so that they are always there.
 */
function toWire({ method, params = {} }: Question): WireQuestion {
  const meta = params['_meta']
  if (!isObject(meta) || !('progressToken' in meta)) return { method, params }
  const { progressToken: _, ...kept } = meta
  const { _meta, ...rest } = params
  return { method, params: Object.keys(kept).length > 0 ? { ...rest, _meta: kept } : rest }
}

/** Before 2025-11-25 the titles of choices stood in `enumNames`. */
function withEnumNames(schema: unknown): unknown {
  if (!isObject(schema) || !isObject(schema['properties'])) return schema
  const properties = Object.entries(schema['properties']).map(([name, property]) => [name, withNames(property)])
  return { ...schema, properties: Object.fromEntries(properties) as Params }
}

function withNames(property: unknown): unknown {
  if (!isObject(property) || !Array.isArray(property['oneOf'])) return property
  const { oneOf, ...rest } = property
  const choices = oneOf as { const?: unknown; title?: unknown }[]
  if (!choices.every((choice) => isObject(choice) && typeof choice.const === 'string')) return property
  return {
    ...rest,
    enum: choices.map((choice) => choice.const),
    enumNames: choices.map((choice) => choice.title ?? choice.const),
  }
}

/** The answer of a client as a server of this revision knows it: before 2025-11-25 a sampled message was one block. */
export function translateAnswer(method: string, result: unknown, revision: string): unknown {
  if (method !== 'sampling/createMessage' || revision >= richQuestions || !isObject(result)) return result
  const { content } = result
  if (!Array.isArray(content)) return result
  const texts = content.map((block: unknown) => (isObject(block) && block['type'] === 'text' ? block['text'] : null))
  const isText = texts.every((text) => typeof text === 'string')
  return { ...result, content: isText ? { type: 'text', text: texts.join('\n') } : content[0] }
}

import { isDeepStrictEqual } from 'node:util'
import { AnsweredError, isObject, type Json, type Question } from '../wire-message.ts'

const shown = 300

export function expectSame(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return
  throw new Error(`${what}: got ${show(actual)} instead of ${show(expected)}`)
}

export function expectTrue(what: string, isTrue: boolean): void {
  if (!isTrue) throw new Error(what)
}

/** The only text of a result. */
export function textOf(result: Json): string {
  const content = result['content']
  const block: unknown = Array.isArray(content) && content.length === 1 ? content[0] : undefined
  if (isObject(block) && typeof block['text'] === 'string' && result['isError'] !== true) return block['text']
  throw new Error(`There is no text in ${show(result)}`)
}

/** Resolves with the error that a request was answered with. */
export async function errorOf(request: Promise<unknown>): Promise<AnsweredError> {
  let result: unknown
  try {
    result = await request
  } catch (error) {
    if (error instanceof AnsweredError) return error
    throw error
  }
  throw new Error(`There was no error but ${show(result)}`)
}

/** A question must arrive as it was asked, apart from what a gateway has to translate between revisions. */
export function expectQuestion(asked: Question | undefined, expected: Question): void {
  expectSame('the question', asked && comparable(asked), comparable(expected))
}

function comparable({ method, params }: Question): Question {
  const { _meta, mode, elicitationId, ...rest } = params
  return { method, params: { ...rest, ...(mode !== undefined && mode !== 'form' && { mode }) } }
}

/** Tries until it is so; the limit is that of the feature. */
export async function until(isSo: () => boolean, signal: AbortSignal): Promise<void> {
  while (!isSo()) {
    signal.throwIfAborted()
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

function show(value: unknown): string {
  const text = value instanceof Error ? value.message : (JSON.stringify(value) ?? String(value))
  return text.length > shown ? `${text.slice(0, shown)}…` : text
}

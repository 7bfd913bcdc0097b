import { isObject } from '../../wire/meta.ts'
import type { OpenApiDocument } from './openapi-document.ts'
import type { OpenApiOperation } from './openapi-operation.ts'

/** The schema of an operation's good answer, when it is a JSON object; lists and plain values have none. */
export function describeOutput(
  operation: OpenApiOperation,
  document: OpenApiDocument,
): (Record<string, unknown> & { type: 'object' }) | undefined {
  const { responses } = operation.raw
  if (!isObject(responses)) return undefined
  const codes = Object.keys(responses).filter((code) => /^2(\d\d|XX)$/i.test(code))
  // With several good answers no single schema holds for all of them.
  if (codes.length !== 1) return undefined
  const response = document.resolve(responses[codes[0]!])
  const content = isObject(response) && isObject(response['content']) ? response['content'] : {}
  const types = Object.keys(content)
  const json = types.find((type) => /^application\/([\w.-]+\+)?json\b/i.test(type))
  const media = json === undefined || types.length > 1 ? undefined : content[json]
  if (!isObject(media)) return undefined
  const resolved = document.resolve(media['schema'])
  if (!isObject(resolved) || resolved['type'] !== 'object' || resolved['nullable'] === true) return undefined
  return { ...document.schemaOf(media['schema']), type: 'object' }
}

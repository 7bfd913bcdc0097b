import { readFile } from 'node:fs/promises'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestHub, type TestHub } from './start-test-hub.ts'

let hub: TestHub
let served: Record<string, unknown>

beforeAll(async () => {
  hub = await startTestHub()
  served = (await hub.api('GET', '/api/openapi.json')).body as Record<string, unknown>
})
afterAll(() => hub.stop())

test('the document that is served is the one in the repository', async () => {
  const file = new URL('../../schema/openapi.json', import.meta.url)
  expect(served).toEqual(JSON.parse(await readFile(file, 'utf8')))
})

test('all of it is valid OpenAPI 3.1', async () => {
  const validator = new Validator()
  const { errors, valid } = await validator.validate(structuredClone(served))
  expect({ errors: errors ?? [], valid, version: validator.version }).toEqual({
    errors: [],
    valid: true,
    version: '3.1',
  })
})

test('every reference in it leads somewhere', () => {
  const references = [...new Set(referencesIn(served))]
  expect(references.length).toBeGreaterThan(100)
  expect(references.filter((reference) => resolve(reference) === undefined)).toEqual([])
})

test('every component is used, and every path and operation is described once', () => {
  const { schemas } = served['components'] as { schemas: Record<string, unknown> }
  const used = new Set(referencesIn(served))
  expect(Object.keys(schemas).filter((name) => !used.has(`#/components/schemas/${name}`))).toEqual([])
  const paths = served['paths'] as Record<string, Record<string, { operationId: string }>>
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
  expect(new Set(ids).size).toBe(ids.length)
  expect(Object.keys(paths)).toContain('/api/teams')
})

function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : referencesIn(inner),
  )
}

/** https://www.rfc-editor.org/rfc/rfc6901 */
function resolve(reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined
  const steps = reference.slice(2).split('/')
  return steps.reduce<unknown>((value, step) => {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
  }, served)
}

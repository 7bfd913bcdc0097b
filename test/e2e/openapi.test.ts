import { readFile } from 'node:fs/promises'
import { api, type ApiOperation } from '@herma/contract/api'
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

const operations: [string, ApiOperation][] = Object.entries(api)
/** One reaches a registry on the internet; the other wants to know whose calls. */
const elsewhere = new Set(['searchRegistry', 'getLatencies'])
const pathFor = (path: string) => path.replace(':traceId', 'f'.repeat(32)).replaceAll(/:\w+/g, 'nobody-has-this-name')

test('what nobody has is refused with a code that the table names', async () => {
  const asked = operations.filter(
    ([, { body, query, path, errors }]) =>
      body === undefined && path.includes(':') && errors !== undefined && (query?.safeParse({}).success ?? true),
  )
  expect(asked.length).toBeGreaterThan(30)
  for (const [name, { method, path, errors }] of asked) {
    const { status, body } = await hub.api(method, pathFor(path))
    const { code } = (body as { error?: { code: string } }).error ?? { code: `${status}` }
    expect.soft(errors, `${name} answered ${code}`).toContain(code)
  }
})

test('what a hub answers to those who look fits the schemas of the table', async () => {
  const looked = operations.filter(
    ([, { method, path, role, responses }]) =>
      method === 'GET' && !path.includes(':') && role !== 'public' && responses[200]?.schema !== undefined,
  )
  expect(looked.length).toBeGreaterThan(30)
  for (const [name, { path, query, responses }] of looked) {
    // What needs to be asked for something has tests of its own.
    if (elsewhere.has(name) || query?.safeParse({}).success === false) continue
    const { status, body } = await hub.api('GET', path)
    expect.soft(status, name).toBe(200)
    expect.soft(responses[200]?.schema?.safeParse(body).error?.issues ?? [], name).toEqual([])
  }
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

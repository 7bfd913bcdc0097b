import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { api } from '@herma/contract/api'
import { startTestHub, type TestHub } from './start-test-hub.ts'

// Every operation of /api/openapi.json gets odd values, the same ones each time. An answer is never a fault of the hub,
// and a refusal is a problem that can be read.

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly minimum?: number
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: 'path' | 'query'; readonly schema: Schema }[]
  readonly responses: Readonly<Record<string, { readonly content?: unknown } | undefined>>
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

const seed = Number(process.env['HERMA_FUZZ_SEED'] ?? 17)
const rounds = Number(process.env['HERMA_FUZZ_ROUNDS'] ?? 12)

/** They would end the hub, or ask registries elsewhere. */
const left = new Set(['stopHub', 'searchRegistry'])

/** Marks what is put into the body as it stands, since JSON.stringify would not write it. */
const raw = (text: string) => `@@${text}@@`

const oddTexts = [
  '',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfff',
  'NaN',
  'Infinity',
  '-0',
  '1e400',
  '9007199254740993',
  '99999999999999999999',
  '-1',
  '0x10',
  '../../etc/passwd',
  '%',
  '%00',
  '__proto__',
  'constructor',
  '{}',
  'null',
  "'; drop table connector; --",
  '😀'.repeat(100),
  'x'.repeat(10_000),
  '2026-13-45T99:99:99Z',
  '+275761-01-01T00:00:00Z',
]

const oddValues = [
  ...oddTexts,
  raw('1e400'),
  raw('-1e400'),
  raw('-0'),
  raw('9007199254740993'),
  raw('2147483648'),
  raw('-2147483649'),
  raw('9223372036854775808'),
  raw('1e308'),
  raw('5e-324'),
  raw('0.1'),
  null,
  true,
  [],
  {},
  [null],
  { a: '\0' },
  { '\0': 1 },
  Array.from({ length: 2000 }, () => 'x'),
]

let hub: TestHub
let document: OpenApi

beforeAll(async () => {
  hub = await startTestHub()
  document = (await hub.api('GET', '/api/openapi.json')).body as OpenApi
})
afterAll(() => hub?.stop())

describe('odd values', () => {
  test('at every operation are taken or refused, and never a fault of the hub', { timeout: 300_000 }, async () => {
    const faults: string[] = []
    let asked = 0
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (left.has(operation.operationId)) continue
        const random = createRandom(seed + asked)
        for (let round = 0; round < rounds; round++) {
          asked++
          const fault = await ask(method.toUpperCase(), path, operation, random)
          if (fault !== null) faults.push(fault)
        }
      }
    }
    expect(faults).toEqual([])
    expect(asked).toBeGreaterThan((Object.keys(api).length - left.size - 10) * rounds)
    expect((await hub.api('GET', '/api/status')).status).toBe(200)
  })
})

async function ask(method: string, path: string, operation: Operation, random: Random): Promise<string | null> {
  const parameters = operation.parameters ?? []
  const at = path.replaceAll(/\{(\w+)\}/g, () => encode(random.pick([...oddTexts.filter((text) => text !== ''), 'x'])))
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && random.next() < 0.5)
    .map(({ name }) => `${name}=${encode(random.pick(oddTexts))}`)
  const [content] = Object.entries(operation.requestBody?.content ?? {})
  const body = content === undefined ? undefined : writeBody(mutate(sample(content[1].schema, random), random))
  const url = `${at}${query.length === 0 ? '' : `?${query.join('&')}`}`
  const cut = new AbortController()
  const headers = { ...hub.operator, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
  const response = await fetch(hub.url + url, {
    method,
    headers,
    redirect: 'manual',
    body: body ?? null,
    signal: cut.signal,
  })
  const what = `${response.status} ${method} ${url.slice(0, 200)} ${(body ?? '').slice(0, 300)}`
  if (response.headers.get('content-type') === 'text/event-stream') {
    cut.abort()
    return response.status < 400 ? null : what
  }
  const text = await response.text()
  if (response.status >= 500 && !isExpected(text)) return `${what} → ${text.slice(0, 300)}`
  const isBare = text === '' && operation.responses[response.status]?.content === undefined
  const isPage = response.headers.get('content-type')?.startsWith('text/html') === true
  return response.status < 400 || isPage || isBare || isProblem(text)
    ? null
    : `${what} is no problem: ${text.slice(0, 200)}`
}

/** Something that was asked for could not be reached, which no value is to blame for: a registry, a model, a server. */
function isExpected(text: string): boolean {
  return /"code":"(DOWNSTREAM_\w+|PROVIDER_\w+|REGISTRY_\w+|\w+_UNAVAILABLE|\w+_UNREACHABLE)"/.test(text)
}

function isProblem(text: string): boolean {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } }
    return typeof error?.code === 'string' && typeof error.message === 'string'
  } catch {
    return false
  }
}

/**
 * A lone surrogate has no percent encoding; it travels as the bytes that a careless client would send. Node takes 16 KiB
 * of headers, so that long texts are for bodies.
 */
function encode(text: string): string {
  if (text.length > 100) return 'x'.repeat(500)
  return /\p{Surrogate}/u.test(text) ? '%ED%A0%80' : encodeURIComponent(text)
}

function writeBody(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replaceAll(/"@@([^"]*)@@"/g, '$1')
}

/** A value that the schema takes, as far as that can be known cheaply. */
function sample(schema: Schema, random: Random, depth = 0): unknown {
  const name = schema.$ref?.split('/').at(-1)
  if (name !== undefined) return sample(document.components?.schemas?.[name] ?? {}, random, depth + 1)
  if (depth > 8) return null
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return random.pick(schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return sample(random.pick(choices), random, depth + 1)
  if (schema.allOf !== undefined)
    return Object.assign({}, ...schema.allOf.map((each) => sample(each, random, depth + 1))) as unknown
  switch (typeof schema.type === 'string' ? schema.type : schema.type?.[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([key]) => schema.required?.includes(key) === true || random.next() < 0.4)
          .map(([key, each]) => [key, sample(each, random, depth + 1)]),
      )
    case 'array':
      return schema.items === undefined ? [] : [sample(schema.items, random, depth + 1)]
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return random.next() < 0.5
    case 'string':
      return random.pick(['x', 'fuzz', 'https://127.0.0.1:1/', '2026-01-01T00:00:00Z'])
    default:
      return null
  }
}

/** Puts an odd value in one place of it. */
function mutate(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.next() < 0.1) return random.pick(oddValues)
  const keys = Object.keys(value)
  if (keys.length === 0) return Array.isArray(value) ? [random.pick(oddValues)] : value
  const key = random.pick(keys)
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<string, unknown>
  copy[key] = mutate(copy[key], random)
  return copy
}

interface Random {
  next(): number
  pick<T>(values: readonly T[]): T
}

/** https://en.wikipedia.org/wiki/Linear_congruential_generator, with the numbers of Numerical Recipes. */
function createRandom(start: number): Random {
  let state = start >>> 0
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  // The first numbers of neighbouring seeds are alike.
  for (let index = 0; index < 4; index++) next()
  return { next, pick: (values) => values[Math.floor(next() * values.length)]! }
}

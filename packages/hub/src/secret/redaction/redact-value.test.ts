import { ConnectorInput, SecretInput } from '@herma/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createLog } from '../../platform/log.ts'
import { redactFields } from './redact-fields.ts'
import { redactLog } from './redact-log.ts'
import { Redactor } from './redactor.ts'

const redactor = new Redactor()
redactor.set('owner', ['canary-value'])

test('a value is masked by the names of its fields and by what it holds, at any depth', () => {
  const value = {
    token: 'abc',
    API_KEY: 7,
    headers: { Authorization: ['Bearer x'], 'Set-Cookie': { a: 1 }, accept: 'text' },
    list: [{ name: 'X-Api-Key', value: 'abc' }, { name: 'Accept', value: 'text' }, 'has canary-value inside'],
    named: { name: 'PLAIN', value: 'abc', secret: true },
    'canary-value': 1,
    maxTokens: 5,
    secret: true,
    password: null,
    at: new Date(0),
  }
  expect(redactor.redactValue(value)).toEqual({
    token: '••••',
    API_KEY: '••••',
    headers: { Authorization: '••••', 'Set-Cookie': '••••', accept: 'text' },
    list: [{ name: 'X-Api-Key', value: '••••' }, { name: 'Accept', value: 'text' }, 'has •••• inside'],
    named: { name: 'PLAIN', value: '••••', secret: true },
    '••••': 1,
    maxTokens: 5,
    secret: true,
    password: null,
    at: new Date(0),
  })
  expect(redactor.redactValue({ token: 'abc', text: 'canary-value' }, { byName: false })).toEqual({
    token: 'abc',
    text: '••••',
  })
})

test('no shape of a value is too much: circles, depth, size, strange fields', () => {
  const circle: Record<string, unknown> = { token: 'x' }
  circle['self'] = circle
  expect(JSON.stringify(redactor.redactValue(circle))).toContain('[…]')
  let deep: unknown = 'canary-value'
  for (let index = 0; index < 100_000; index++) deep = [deep]
  expect(JSON.stringify(redactor.redactValue(deep))).not.toContain('canary')
  const wide = redactor.redactValue(Array.from({ length: 100_000 }, () => ({ a: 1 }))) as unknown[]
  expect(wide.filter((each) => each === '[…]').length).toBeGreaterThan(40_000)
  const hostile = redactor.redactValue(JSON.parse('{"__proto__":{"token":"canary-value","isAdmin":true}}')) as object
  expect(Object.getPrototypeOf(hostile)).toBe(Object.prototype)
  expect((hostile as { isAdmin?: boolean }).isAdmin).toBeUndefined()
  expect(JSON.stringify(hostile)).toBe('{"__proto__":{"token":"••••","isAdmin":true}}')
  expect(redactor.redactValue([1n, undefined, Buffer.from('canary-value'), new Error('canary-value')])).toEqual([
    '1',
    undefined,
    '[12 bytes]',
    '••••',
  ])
})

test('the fields that a schema marks as secret are masked, wherever it has them', () => {
  const secret = z.string().meta({ secret: true }).describe('Described later.')
  const schema = z.object({
    a: secret.optional(),
    b: z.record(z.string(), z.array(secret)).default({}),
    c: z.union([z.object({ kind: z.literal('x'), d: secret }), z.string()]).nullable(),
    e: z.lazy(() => z.tuple([z.string(), secret])),
    f: z.string().pipe(secret),
    g: z.object({ h: z.string() }).and(z.object({ i: secret })),
  })
  const value = {
    a: '1',
    b: { x: ['2'] },
    c: { kind: 'x', d: '3' },
    e: ['4', '5'],
    f: '6',
    g: { h: '7', i: '8' },
    z: 9,
  }
  expect(redactFields(schema, value)).toEqual({
    a: '••••',
    b: { x: ['••••'] },
    c: { kind: 'x', d: '••••' },
    e: ['4', '••••'],
    f: '••••',
    g: { h: '7', i: '••••' },
    z: 9,
  })
  expect(redactFields(SecretInput, { value: 'x', description: 'y' })).toEqual({ value: '••••', description: 'y' })
  const connector = { name: 'n', headers: [{ name: 'A', value: 'x' }], oauth: { clientSecret: 's', clientId: 'c' } }
  expect(redactFields(ConnectorInput, connector)).toEqual({
    name: 'n',
    headers: [{ name: 'A', value: '••••' }],
    oauth: { clientSecret: '••••', clientId: 'c' },
  })
})

test('every line of a log passes the redactor, with secrets that came later too', () => {
  const later = new Redactor()
  const lines: string[] = []
  const log = redactLog(
    createLog('debug', (line) => void lines.push(line)),
    later,
  )
  later.set('owner', ['canary-value'])
  log.info('canary-value came', { error: new Error('no canary-value'), nested: { text: ['canary-value'] }, token: 'x' })
  log.warn('without fields')
  expect(lines.join('')).not.toContain('canary')
  expect(lines[0]).toMatch(/info •••• came error="no ••••" nested=\{"text":\["••••"\]\} token="••••"\n$/)
  expect(lines[1]).toMatch(/warn without fields\n$/)
})

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createModeCatalog, type TestTool } from './testing/mode-setting.ts'
import { fullStub, shortStub, typescriptStubs } from './typescript-stubs.ts'
import { typescriptType } from './typescript-type.ts'

const cases = new URL('./cases/', import.meta.url)
const read = (name: string, file: string): unknown =>
  JSON.parse(readFileSync(new URL(`${name}/${file}`, cases), 'utf8'))

describe('the type of a schema', () => {
  test.each(readdirSync(cases))('%s', (name) => {
    expect({ type: typescriptType(read(name, 'schema.json')) }).toEqual(read(name, 'expected.json'))
  })

  test('ends somewhere, however deep and wide the schema is', () => {
    const node = (name: string) => ({ type: 'object', properties: { [name]: { $ref: '#/$defs/all' } } })
    const members = Array.from({ length: 50 }, (_, index) => node(`p${index}`))
    const wide = { $defs: { all: { anyOf: members } }, properties: Object.fromEntries(members.entries()) }
    expect(typescriptType(wide).length).toBeLessThan(30_000)
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`p${index}`, { type: 'null' }]))
    expect(typescriptType({ properties: many })).toMatch(/p99\?: null; \[key: string\]: unknown }$/)
  })

  test('explains its properties when asked to', () => {
    const schema = { properties: { a: { type: 'string', description: 'One\n line. */ alert() /*' } } }
    expect(typescriptType(schema, { hasComments: true })).toBe('{ /** One line. *∕ alert() /* */ a?: string }')
  })
})

describe('a stub', () => {
  const tool = (each: TestTool) => createModeCatalog([each]).find(each.name)!

  test('has a line of description and the signature', () => {
    const inputSchema = { type: 'object', properties: { path: { type: 'string' }, limit: { type: 'integer' } } }
    const read_file = tool({ name: 'files__read', description: 'Reads a\nfile.', inputSchema })
    expect(shortStub(read_file)).toBe(
      '  /** Reads a file. */\n  files__read(args?: { path?: string; limit?: number }): Promise<unknown>',
    )
  })

  test('quotes a name that is no identifier, and leaves out what is not there', () => {
    const outputSchema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] }
    expect(shortStub(tool({ name: 'a-b', outputSchema }))).toBe('  "a-b"(): Promise<{ ok: boolean }>')
    const nothing = { type: 'object', properties: {}, additionalProperties: false }
    expect(shortStub(tool({ name: 'x', inputSchema: nothing }))).toBe('  x(): Promise<unknown>')
  })

  test('may have everything that the tool says', () => {
    const inputSchema = { properties: { a: { type: 'string', description: 'An a.' } }, required: ['a'] }
    expect(fullStub(tool({ name: 'x', description: 'First.\nSecond */ line.', inputSchema }))).toBe(
      'declare const tools: {\n  /**\n   * First.\n   * Second *∕ line.\n   */\n' +
        '  x(args: { /** An a. */ a: string }): Promise<unknown>\n}',
    )
  })

  test('stands with others in one declaration', () => {
    expect(typescriptStubs([tool({ name: 'a' }), tool({ name: 'b' })])).toBe(
      'declare const tools: {\n  a(): Promise<unknown>\n  b(): Promise<unknown>\n}',
    )
  })
})

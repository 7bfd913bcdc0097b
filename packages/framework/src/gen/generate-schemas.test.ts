import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { GeneratedMethod, JsonSchema } from '../decorator/generated.ts'
import { generateSchemas } from './generate-schemas.ts'
import { GenerateError } from './source/problem.ts'
import { readSidecar, type Sidecar } from './sidecar.ts'
import { loadCompiler } from './source/compiler.ts'

let folder: string
let count = 0

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'herma-gen-'))
})
afterAll(() => rm(folder, { recursive: true }))

const head = `import { prompt, tool, type Context, type ErrorResult } from '@herma/framework'\n`

async function write(text: string, name = `source-${count++}.ts`): Promise<string> {
  await writeFile(join(folder, name), text)
  return name
}

async function generate(text: string): Promise<Sidecar> {
  const [file] = await generateSchemas([await write(head + text)], { folder })
  if (file === undefined) return {}
  const { ts } = await loadCompiler()
  return readSidecar(ts, await readFile(file.sidecar, 'utf8')) ?? {}
}

/** What is generated for the methods of one class `A`, whose types stand before it. */
async function methodsOf(members: string, types = ''): Promise<Readonly<Record<string, GeneratedMethod>>> {
  return (await generate(`${types}\nexport class A {\n${members}\n}\n`))['A'] ?? {}
}

/** The schema of the parameter `value: <type>`. */
async function schemaOf(type: string, types = ''): Promise<JsonSchema | undefined> {
  const { run } = await methodsOf(`@tool.auto() run(value: ${type}): void {}`, types)
  const { value } = (run?.input?.['properties'] ?? {}) as Record<string, JsonSchema>
  return run?.input?.['$defs'] === undefined ? value : { ...value, $defs: run.input['$defs'] }
}

async function problemOf(members: string, types = ''): Promise<string> {
  const error = await methodsOf(members, types).then(
    () => new Error('There was no problem.'),
    (problem: Error) => problem,
  )
  expect(error).toBeInstanceOf(GenerateError)
  return error.message
}

describe('parameters', () => {
  test('become arguments by their names, described by JSDoc', async () => {
    const { add } = await methodsOf(
      '/** Adds two numbers. @param a the first @param b the second */ @tool.auto() add(a: number, b: number): number { return a + b }',
    )
    expect(add).toEqual({
      kind: 'tool',
      description: 'Adds two numbers.',
      parameters: ['a', 'b'],
      input: {
        type: 'object',
        properties: {
          a: { type: 'number', description: 'the first' },
          b: { type: 'number', description: 'the second' },
        },
        required: ['a', 'b'],
      },
      output: { type: 'object', properties: { result: { type: 'number' } }, required: ['result'] },
      isWrapped: true,
    })
  })

  test('are optional with a question mark, undefined or a default', async () => {
    const { run } = await methodsOf(
      `@tool.auto() run(a: number, b?: string, c: boolean | undefined = undefined, d = 5, e = new Date(), f = ['x', -1]): void {}`,
    )
    expect(run?.input).toEqual({
      type: 'object',
      properties: {
        a: { type: 'number' },
        b: { type: 'string' },
        c: { type: 'boolean' },
        d: { type: 'number', default: 5 },
        e: { type: 'string', format: 'date-time', $comment: 'Date' },
        f: { type: 'array', items: { anyOf: [{ type: 'number' }, { type: 'string' }] }, default: ['x', -1] },
      },
      required: ['a'],
    })
  })

  test('leave out a context at the end, and may be one object or a rest', async () => {
    const methods = await methodsOf(`
      @tool.auto() none(context: Context): void {}
      @tool.auto() state(id: string, context: Context<{ a: number }>): void {}
      @tool.auto() whole({ text, limit = 3 }: { text: string; limit?: number }, _context: Context): void {}
      @tool.auto() rest(first: string, ...others: number[]): void {}
      @tool.auto() self(this: A, id: string): void {}
    `)
    expect(methods['none']).toEqual({ kind: 'tool', takesContext: true })
    expect(methods['state']).toMatchObject({ parameters: ['id'], takesContext: true })
    expect(methods['whole']).toEqual({
      kind: 'tool',
      takesContext: true,
      input: {
        type: 'object',
        properties: { text: { type: 'string' }, limit: { type: 'number' } },
        required: ['text'],
      },
    })
    expect(methods['rest']).toMatchObject({
      parameters: ['first', 'others'],
      hasRest: true,
      input: { properties: { others: { type: 'array', items: { type: 'number' } } }, required: ['first'] },
    })
    expect(methods['self']).toMatchObject({ parameters: ['id'] })
  })

  test('take constraints from the tags behind their @param, and from comments of their own', async () => {
    const { run } = await methodsOf(`
      /**
       * Runs.
       * It does so quickly.
       * @title Run it
       * @param age - in years
       * @minimum 0
       * @maximum 150
       * @integer
       * @param mail
       * @format email
       * @maxLength 20
       * @default ana@example.org
       * @param tags of it
       * @minItems 1
       * @uniqueItems
       * @returns nothing
       */
      @tool.auto() run(age: number | null, mail: string, tags: string[], /** The code. @pattern ^[A-Z]{2}$ @example DE @example FR */ code: string): void {}
    `)
    expect(run).toMatchObject({ title: 'Run it', description: 'Runs.\nIt does so quickly.' })
    expect(run?.input).toEqual({
      type: 'object',
      properties: {
        age: { description: 'in years', anyOf: [{ type: 'integer', minimum: 0, maximum: 150 }, { type: 'null' }] },
        mail: { type: 'string', format: 'email', maxLength: 20, default: 'ana@example.org' },
        tags: { type: 'array', items: { type: 'string' }, description: 'of it', minItems: 1, uniqueItems: true },
        code: { type: 'string', description: 'The code.', pattern: '^[A-Z]{2}$', examples: ['DE', 'FR'] },
      },
      required: ['age', 'tags', 'code'],
    })
  })
})

describe('types', () => {
  const cases: [type: string, schema: JsonSchema, types?: string][] = [
    ['unknown', {}],
    ['any', {}],
    ['object', { type: 'object' }],
    [`'small' | 'large' | 'medium'`, { type: 'string', enum: ['small', 'large', 'medium'] }],
    [`3 | 1 | 2`, { type: 'number', enum: [3, 1, 2] }],
    [`'auto' | number`, { anyOf: [{ const: 'auto' }, { type: 'number' }] }],
    [`boolean | 'maybe' | null`, { anyOf: [{ const: 'maybe' }, { type: 'boolean' }, { type: 'null' }] }],
    ['Color', { type: 'string', enum: ['red', 'blue'] }, `enum Color { Red = 'red', Blue = 'blue' }`],
    ['Level', { type: 'number', enum: [0, 1] }, `enum Level { Low, High }`],
    ['readonly string[]', { type: 'array', items: { type: 'string' } }],
    [
      '[string, number?]',
      {
        type: 'array',
        prefixItems: [{ type: 'string' }, { type: 'number' }],
        minItems: 1,
        maxItems: 2,
        items: false,
      },
    ],
    [
      '[string, ...number[]]',
      { type: 'array', prefixItems: [{ type: 'string' }], minItems: 1, items: { type: 'number' } },
    ],
    ['Record<string, number>', { type: 'object', additionalProperties: { type: 'number' } }],
    [
      `Record<'a' | 'b', boolean>`,
      { type: 'object', properties: { a: { type: 'boolean' }, b: { type: 'boolean' } }, required: ['a', 'b'] },
    ],
    ['Date | null', { anyOf: [{ type: 'string', format: 'date-time', $comment: 'Date' }, { type: 'null' }] }],
    ['`v${number}.x`', { type: 'string', pattern: '^v-?\\d+(\\.\\d+)?\\.x$' }],
    ['Id', { type: 'string' }, `type Id = string & { readonly brand: 'Id' }`],
    [
      'Partial<Point> & { name: string }',
      {
        type: 'object',
        properties: { x: { type: 'number' }, name: { type: 'string' } },
        required: ['name'],
      },
      'interface Point { x: number }',
    ],
    [
      'Box<string>',
      { type: 'object', properties: { value: { type: 'string' } }, required: ['value'] },
      'interface Box<T> { value: T }',
    ],
  ]
  test.each(cases)('%s has a schema', async (type, schema, types) => {
    expect(await schemaOf(type, types)).toEqual(schema)
  })

  test('nested interfaces keep their JSDoc', async () => {
    const types = `
      interface Address {
        /** Where it is. */
        city: string
        /** @pattern ^\\d{5}$ */
        zip?: string
      }
      interface Person {
        /**
         * Home.
         */
        home: Address
        /** @default 1 @minimum 0 */
        rank: number
      }`
    expect(await schemaOf('Person', types)).toEqual({
      type: 'object',
      properties: {
        home: {
          type: 'object',
          description: 'Home.',
          properties: {
            city: { type: 'string', description: 'Where it is.' },
            zip: { type: 'string', pattern: '^\\d{5}$' },
          },
          required: ['city'],
        },
        rank: { type: 'number', default: 1, minimum: 0 },
      },
      required: ['home'],
    })
  })

  test('a type that contains itself refers to its definition', async () => {
    expect(await schemaOf('Tree', 'interface Tree { name: string; children: Tree[] }')).toEqual({
      $ref: '#/$defs/Tree',
      $defs: {
        Tree: {
          type: 'object',
          properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/Tree' } } },
          required: ['name', 'children'],
        },
      },
    })
    const { find } = await methodsOf(
      '@tool.auto() find({ and }: Query): Query { return { and } }',
      'interface Query { and?: Query[] }',
    )
    expect(find?.input).toMatchObject({ type: 'object', properties: { and: { items: { $ref: '#/$defs/Query' } } } })
    expect(find?.output).toMatchObject({ type: 'object', $defs: { Query: { type: 'object' } } })
  })
})

describe('results', () => {
  const point = { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] }
  const content = `{ type: 'text'; text: string }`
  const cases: [type: string, expected: object][] = [
    ['{ x: number }', { output: point }],
    ['Promise<{ x: number }>', { output: point }],
    ['{ x: number } | ErrorResult', { output: point }],
    ['void', {}],
    ['Promise<void>', {}],
    ['string', {}],
    ['unknown', {}],
    [`Promise<{ content: ${content}[]; isError?: boolean }>`, {}],
    [`${content}[]`, {}],
    [
      'number[]',
      {
        output: {
          type: 'object',
          properties: { result: { type: 'array', items: { type: 'number' } } },
          required: ['result'],
        },
        isWrapped: true,
      },
    ],
    ['{ x: number } | undefined', { output: { type: 'object', properties: { result: point } }, isWrapped: true }],
    [
      `{ x: number } | { y: string }`,
      {
        output: {
          type: 'object',
          anyOf: [point, { type: 'object', properties: { y: { type: 'string' } }, required: ['y'] }],
        },
      },
    ],
  ]
  test.each(cases)('of %s', async (type, expected) => {
    const result = `type ErrorResult = { content: ${content}[]; isError: true }`
    const { A } = await generate(`${result}\nexport class A { @tool.auto() run(): ${type} { throw new Error('') } }`)
    expect(A?.['run']).toEqual({ kind: 'tool', ...expected })
  })

  test('are inferred where they are not written', async () => {
    const { run } = await methodsOf(`@tool.auto() async run() { return { x: 1 } }`)
    expect(run).toEqual({ kind: 'tool', output: point })
  })
})

describe('prompts', () => {
  test('have strings for arguments', async () => {
    const { review } = await methodsOf(
      `/** Reviews. @param topic what */ @prompt.auto() review(topic: string, style: 'short' | 'long' = 'short') { return topic + style }`,
    )
    expect(review).toEqual({
      kind: 'prompt',
      description: 'Reviews.',
      parameters: ['topic', 'style'],
      input: {
        type: 'object',
        properties: {
          topic: { type: 'string', description: 'what' },
          style: { type: 'string', enum: ['short', 'long'], default: 'short' },
        },
        required: ['topic'],
      },
    })
  })
})

describe('decorators', () => {
  test('are known under other names and through a namespace', async () => {
    const text = `import { tool as t } from '@herma/framework'
      import * as herma from '@herma/framework'
      export class B { @t.auto() one(a: string): void {} @herma.tool.auto() two(a: string): void {} other(a: () => void) {} }
      const factory = () => { class Inner { @t.auto() three(a: string): void {} } return Inner }`
    const sidecar = await generate(text)
    expect(Object.keys(sidecar['B'] ?? {})).toEqual(['one', 'two'])
    expect(Object.keys(sidecar['Inner'] ?? {})).toEqual(['three'])
  })
})

describe('what cannot be a schema is told with its place and the next step', () => {
  const cases: [members: string, message: string, types?: string][] = [
    ['@tool.auto() a(f: () => void): void {}', `'() => void' is a function, which clients cannot send.`],
    ['@tool.auto() a(o: { f(): void }): void {}', `'() => void' is a function`],
    ['@tool.auto() a<T>(x: T): void {}', `type parameter 'T', which clients cannot give. Write concrete types.`],
    ['@tool.auto() a(x): void {}', `The parameter 'x' has no type. Write it`],
    ['@tool.auto() a(x: Missing): void {}', 'Its type cannot be found.'],
    ['@tool.auto() a(x: bigint): void {}', 'JSON has no bigint.'],
    ['@tool.auto() a(x: symbol): void {}', `'symbol' cannot be written as JSON.`],
    ['@tool.auto() a(x: Map<string, number>): void {}', 'A Map cannot travel as JSON. Use Record<string, …>.'],
    ['@tool.auto() a(x: Set<string>): void {}', 'A Set cannot travel as JSON.'],
    ['@tool.auto() a(x: Uint8Array): void {}', 'Use a string of base64'],
    ['@tool.auto() a(x: Error): void {}', 'A Error cannot travel as JSON.'],
    ['@tool.auto() a(x: Own): void {}', 'A Own cannot travel as JSON.', 'class Own { x = 1 }'],
    ['@tool.auto() a(x: Date | string): void {}', 'the two cannot be told apart'],
    ['@tool.auto() a(x: Deep<string>): void {}', 'is nested without an end', 'interface Deep<T> { next: Deep<T[]> }'],
    ['@tool.auto() a(x: string, { y }: { y: string }): void {}', 'This parameter has no name'],
    ['@tool.auto() a(): () => void { return () => {} }', 'is a function'],
    ['/** A. @param b it */ @tool.auto() a(x: string): void {}', '@param b is about no parameter. Correct its name'],
    ['/** A. @minimum 1 @param x it */ @tool.auto() a(x: number): void {}', '@minimum stands behind no @param'],
    ['/** A. @param x it @minimum 1 */ @tool.auto() a(x: string): void {}', '@minimum is for a number'],
    ['/** A. @param x it @minimum low */ @tool.auto() a(x: number): void {}', `@minimum needs a number and has 'low'.`],
    ['/** A. @param x it @pattern ( */ @tool.auto() a(x: string): void {}', 'is no regular expression'],
    ['/** A. @param x it @default much */ @tool.auto() a(x: number): void {}', '@default needs a number'],
    ['@tool.auto() a(x: string): void; a(x: string): void {}', 'The method is overloaded'],
    ['@prompt.auto() a(x: number) { return String(x) }', `The argument 'x' of a prompt has to be a string.`],
  ]
  test.each(cases)('%s', async (members, message, types) => {
    expect(await problemOf(members, types)).toContain(message)
  })

  test('all problems are told at once, each at its line and column, and nothing is written', async () => {
    const source = await write(`${head}export class A {
  @tool.auto() good(a: string): void {}
  @tool.auto() one(a: () => void): void {}
  @tool.auto() two(a: string, b: bigint): void {}
}
`)
    const problem = await generateSchemas([source], { folder }).catch((error: Error) => error.message)
    expect(String(problem).split('\n')).toEqual([
      expect.stringContaining(`${source}:4:20 '() => void' is a function`),
      expect.stringContaining(`${source}:5:31 JSON has no bigint.`),
    ])
    await expect(readFile(join(folder, source.replace('.ts', '.gen.ts')))).rejects.toThrow('ENOENT')
  })
})

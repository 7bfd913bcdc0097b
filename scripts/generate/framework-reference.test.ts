import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { frameworkReference } from './framework-reference.ts'

const files = {
  'kit/package.json': JSON.stringify({
    name: '@acme/kit',
    exports: {
      '.': { 'herma-source': './src/index.ts' },
      './extra': { 'herma-source': './src/extra.ts' },
      './inner': { 'herma-source': './src/inner.ts' },
    },
  }),
  'kit/tsconfig.json': JSON.stringify({
    compilerOptions: {
      module: 'nodenext',
      target: 'es2022',
      lib: ['es2022'],
      types: [],
      allowImportingTsExtensions: true,
    },
  }),
  'kit/src/index.ts': `
    export { codes, Greeter, greet, pick, type Greeting } from './greet.ts'
    export type { Shared } from './extra.ts'
  `,
  'kit/src/greet.ts': `
    import type { Foreign } from 'elsewhere'
    import type { Shared } from './extra.ts'
    interface Deep { readonly deep: true }
    interface Hidden extends Deep { readonly foreign: Foreign }
    /** How to greet. Mind the tone. */
    export interface Greeting {
      /** Whom. */
      readonly name: string
      readonly how?: Hidden
    }
    /** Greets; a | b. And more. */
    export function greet({ name }: Greeting, times = 1, ...rest: Shared[]) { return \`\${name} \${times} \${rest}\` }
    greet.loudly = function loudly(greeting: Greeting): string { return greet(greeting).toUpperCase() }
    /** One of two. */
    export function pick(from: 'a'): 1
    /** The other. */
    export function pick(from: 'b'): 2
    export function pick(from: 'c'): 3
    export function pick(from: string): number { return from.charCodeAt(0) - 96 }
    /** Greets again and again. */
    export class Greeter {
      readonly #count = 0
      private other = 1
      /** How often. */
      get count(): number { return this.#count + this.other }
      constructor(readonly greeting: Greeting, private tone: string = 'low') {}
      greet(): Promise<string> { return Promise.resolve(this.tone) }
    }
    /** What it ends with. */
    export const codes = {
      /** Well. */
      fine: 0,
      bad: 1,
    } as const
  `,
  'kit/src/extra.ts': `
    /** Used by both. */
    export type Shared = 'x' | 'y'
    /** Returns it. */
    export async function shared(): Promise<Shared> { return 'x' }
  `,
  'kit/src/inner.ts': 'export const undocumented = 1',
  'pages/README.md': 'Written by hand.',
}

const introductions = { '.': 'The kit.', './extra': 'More of it.', './inner': undefined }

async function makeReference(
  changes: Record<string, string> = {},
  wanted: Record<string, string | undefined> = introductions,
) {
  const root = mkdtempSync(join(tmpdir(), 'herma-reference-'))
  try {
    for (const [path, text] of Object.entries({ ...files, ...changes })) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    return new Map(await frameworkReference({ root, folder: 'kit', pages: 'pages', introductions: wanted }))
  } finally {
    rmSync(root, { recursive: true })
  }
}

describe('the reference', async () => {
  const pages = await makeReference()
  const index = pages.get('pages/index.md') ?? ''

  test('has a page for each entry that is not internal', () => {
    expect([...pages.keys()]).toEqual(['pages/index.md', 'pages/extra.md'])
  })

  test('shows what a name is, in words and in TypeScript, with links', () => {
    expect(pages.get('pages/extra.md')).toBe(extraPage)
  })

  test('lists functions, constants, classes, interfaces and types, each with its first sentence', () => {
    const rows = [...index.matchAll(/^\| (.*) \|$/gm)].map(([, row]) => row)
    expect(rows).toEqual([
      'Functions |',
      String.raw`[${'`greet`'}](#greet) | Greets; a \| b.`,
      '[`pick`](#pick) | One of two.',
      'Constants |',
      '[`codes`](#codes) | What it ends with.',
      'Classes |',
      '[`Greeter`](#greeter) | Greets again and again.',
      'Interfaces |',
      '[`Greeting`](#greeting) | How to greet.',
      'Types |',
      '[`Shared`](extra.md#shared-1) | Used by both.',
    ])
  })

  test('shows a function as a caller sees it, and functions that belong to it', () => {
    expect(index).toContain('function greet(options: Greeting, times?: number, ...rest: Shared[]): string\n')
    expect(index).toContain('namespace greet {\n  function loudly(greeting: Greeting): string\n}')
    expect(index).toContain('Uses [`Greeting`](#greeting), [`Shared`](extra.md#shared-1).')
  })

  test('shows overloads with the words of each, and no implementation', () => {
    const first = "One of two.\n\n```ts\nfunction pick(from: 'a'): 1\n```"
    const second = "The other.\n\n```ts\nfunction pick(from: 'b'): 2\nfunction pick(from: 'c'): 3\n```"
    expect(index).toContain(`${first}\n\n${second}`)
    expect(index).not.toContain('pick(from: string)')
  })

  test('shows the public members of a class, and the values of constants', () => {
    const members = [
      '  readonly greeting: Greeting',
      '  /** How often. */',
      '  readonly count: number',
      '  constructor(greeting: Greeting, tone?: string)',
      '  greet(): Promise<string>',
    ]
    expect(index).toContain(`class Greeter {\n${members.join('\n')}\n}`)
    expect(index).toContain('const codes: {\n  /** Well. */\n  readonly fine: 0\n  readonly bad: 1\n}')
  })

  test('explains types that are not exported, and says where foreign ones come from', () => {
    const behind = index.slice(index.indexOf('## Behind the signatures'))
    expect(behind.match(/^### .*/gm)).toEqual(['### Deep', '### Hidden'])
    expect(behind).toContain('## From other packages\n\n- `elsewhere`: `Foreign`')
  })
})

test('a public name without JSDoc is refused with its place', async () => {
  const source = `${files['kit/src/extra.ts']}\nexport const bare = 1\n`
  const line = source.split('\n').indexOf('export const bare = 1') + 1
  await expect(makeReference({ 'kit/src/extra.ts': source })).rejects.toThrow(
    `kit/src/extra.ts:${line} 'bare' is public and has no JSDoc.`,
  )
})

test('an entry that nobody introduced is refused, and so is a page without an entry', async () => {
  await expect(makeReference({}, { '.': 'The kit.', './inner': undefined })).rejects.toThrow(
    "'./extra' in kit/package.json has no introduction.",
  )
  await expect(makeReference({ 'pages/old.md': '' })).rejects.toThrow('pages/old.md belongs to no entry')
})

const extraPage = `# @acme/kit/extra

<!-- Written by \`npm run generate\` from the sources. What it says is their JSDoc: change it there. -->

More of it.

\`\`\`ts
import { shared } from '@acme/kit/extra'
\`\`\`

Pages: [kit](index.md) · kit/extra

## Contents

| Functions | |
|---|---|
| [\`shared\`](#shared) | Returns it. |

| Types | |
|---|---|
| [\`Shared\`](#shared-1) | Used by both. |

## Functions

### shared

Returns it.

\`\`\`ts
function shared(): Promise<Shared>
\`\`\`

Uses [\`Shared\`](#shared-1). Source: [extra.ts](../kit/src/extra.ts)

## Types

### Shared

Used by both.

\`\`\`ts
type Shared = 'x' | 'y'
\`\`\`

Also in \`@acme/kit\`. Source: [extra.ts](../kit/src/extra.ts)
`

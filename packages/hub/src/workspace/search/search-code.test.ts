import { link, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeTestFolder } from '../testing/test-folder.ts'
import { searchFolder, type CodeSearchOptions, type CodeSearchResult } from './search-code.ts'

async function search(files: Record<string, string>, options: Partial<CodeSearchOptions> & { query: string }) {
  return searchIn(await makeTestFolder(files), options)
}

function searchIn(cwd: string, options: Partial<CodeSearchOptions> & { query: string }): Promise<CodeSearchResult> {
  const signal = new AbortController().signal
  return searchFolder({ cwd, isDenied: () => false, maxResults: 50, maxFileBytes: 100_000, signal, ...options })
}

/** `path:line:column`, in the order of the answer. */
function placesOf({ files }: CodeSearchResult): string[] {
  return files.flatMap(({ path, matches }) =>
    matches.length === 0 ? [path] : matches.map(({ line, column }) => `${path}:${line}:${column}`),
  )
}

test('every line that matches is found, with its place and the lines around it', async () => {
  const text = 'first\r\nthe Needle is here\r\nthird\r\n\r\nNeedle, needle'
  const result = await search({ 'a/b.txt': text, 'c.txt': 'nothing' }, { query: 'Needle', contextLines: 1 })
  expect(result).toEqual({
    files: [
      {
        path: 'a/b.txt',
        isNamed: false,
        matches: [
          { line: 2, column: 5, text: 'the Needle is here', isDefinition: false, before: ['first'], after: ['third'] },
          { line: 5, column: 1, text: 'Needle, needle', isDefinition: false, before: [''], after: [] },
        ],
      },
    ],
    counts: { matches: 2, files: 1, filesSearched: 2, filesSkipped: 0 },
    truncated: false,
  })
})

test('definitions come first, then files of that name, then words, then parts of words, then tests', async () => {
  const result = await search(
    {
      'a.ts': 'runCommand()\nrunCommander()',
      'b.py': 'def runCommand(): pass',
      'c.go': 'func (s *Server) runCommand() {',
      'd.ts': '  async runCommand(x: number): Promise<void> {',
      'e.test.ts': 'runCommand()',
      'run-command.ts': 'runCommand()',
      'runcommand.md': '',
    },
    { query: 'runCommand' },
  )
  expect(placesOf(result).join(' ')).toBe(
    'b.py:1:5 c.go:1:18 d.ts:1:9 run-command.ts:1:1 runcommand.md a.ts:1:1 a.ts:2:1 e.test.ts:1:1',
  )
  expect(result.files[0]?.matches[0]?.isDefinition).toBe(true)
})

test.for<[query: string, options: Partial<CodeSearchOptions>, places: string[]]>([
  ['apple', {}, ['a:1:1', 'a:2:1', 'a:3:5']],
  ['Apple', {}, ['a:2:1']],
  ['APPLE', { caseSensitive: false }, ['a:1:1', 'a:2:1', 'a:3:5']],
  ['apple', { wholeWord: true }, ['a:1:1', 'a:2:1']],
  ['a.ple', {}, []],
  ['a.ple', { isRegex: true }, ['a:1:1', 'a:2:1', 'a:3:5']],
  ['^pine\\w+$', { isRegex: true }, ['a:3:1']],
  ['z*', { isRegex: true }, []],
  ['\\bple|(apple)', { isRegex: true, wholeWord: true }, ['a:1:1', 'a:2:1']],
  ['[a-z]+(x+x+)+y', { isRegex: true }, []],
])('the query %j with %j', async ([query, options, places]) => {
  const text = `apple\nApple pie\npineapple\n${'x'.repeat(30)}`
  expect(placesOf(await search({ a: text }, { query, ...options })).toSorted()).toEqual(places)
})

test('long files are searched piece by piece, and long lines as far as anybody would read', async () => {
  const lines = Array.from({ length: 5000 }, (_, index) => `line ${index} of many`)
  const cwd = await makeTestFolder({ long: lines.join('\n'), wide: `${'x'.repeat(900)} needle ${'y'.repeat(50_000)}` })
  const result = await searchIn(cwd, { query: 'line \\d*99 of', isRegex: true, maxResults: 3 })
  expect(placesOf(result)).toEqual(['long:100:1', 'long:200:1', 'long:300:1'])
  expect(result).toMatchObject({ truncated: true, counts: { matches: 50, files: 1 } })
  const [wide] = (await searchIn(cwd, { query: 'needle' })).files
  expect(wide?.matches[0]?.column).toBe(902)
  expect(wide?.matches[0]?.text).toMatch(/x{99} needle y+…$/)
})

test('globs choose files, and .gitignore at any depth, tools, binaries and large files are left out', async () => {
  const result = await search(
    {
      '.gitignore': 'out/\n*.log\n!keep.log',
      'a.ts': 'needle',
      'a.log': 'needle',
      'keep.log': 'needle',
      'out/b.ts': 'needle',
      'src/.gitignore': '/private\n*.gen.ts',
      'src/private/c.ts': 'needle',
      'src/private.ts': 'needle',
      'src/d.gen.ts': 'needle',
      'src/.hidden.ts': 'needle',
      'node_modules/e.ts': 'needle',
      'cache/CACHEDIR.TAG': '',
      'cache/f.ts': 'needle',
      'binary.ts': 'needle\0',
      'large.ts': `needle${' '.repeat(100_000)}`,
      'src/other.py': 'needle',
    },
    { query: 'needle', globs: ['*.ts', '*.log', '!src/.h*'] },
  )
  expect(placesOf(result)).toEqual(['a.ts:1:1', 'keep.log:1:1', 'src/private.ts:1:1'])
  expect(result.counts).toEqual({ matches: 3, files: 3, filesSearched: 3, filesSkipped: 2 })
})

test('in a folder of a repository the rules above hold', async () => {
  const root = await makeTestFolder({
    '.gitignore': 'out\n/part/top.ts',
    'part/top.ts': 'needle',
    'part/out/a': 'needle',
  })
  await mkdir(join(root, '.git'))
  await writeFile(join(root, 'part/b'), 'needle')
  expect(placesOf(await searchIn(join(root, 'part'), { query: 'needle' }))).toEqual(['b:1:1'])
})

test('what is denied, linked or has a second name elsewhere is not seen', async () => {
  const outside = await makeTestFolder({ 'secret.txt': 'needle', 'other.txt': 'needle' })
  const cwd = await makeTestFolder({ 'a.txt': 'needle', 'vault/b.txt': 'needle', 'b.pem': 'needle' })
  await symlink(outside, join(cwd, 'folder'))
  await symlink(join(outside, 'secret.txt'), join(cwd, 'file.txt'))
  await link(join(outside, 'other.txt'), join(cwd, 'second.txt'))
  const isDenied = (path: string) => path === 'vault' || path.endsWith('.pem')
  expect(placesOf(await searchIn(cwd, { query: 'needle', isDenied }))).toEqual(['a.txt:1:1'])
})

test('queries that cannot be searched for say why', async () => {
  const cwd = await makeTestFolder()
  for (const [query, isRegex, reason] of [
    ['', false, 'The query is empty.'],
    ['a\nb', false, 'The query holds a line break'],
    ['a(?=b)', true, 'The query is no regular expression of RE2'],
    ['((a{100}){100}){100}', true, 'regular expression'],
    ['(a{30}b{30}){30}', true, 'The regular expression is too large.'],
    ['x'.repeat(1001), false, 'The query is longer than 1000 characters.'],
  ] as const) {
    await expect(searchIn(cwd, { query, isRegex })).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      message: expect.stringContaining(reason),
    })
  }
  await expect(searchIn(cwd, { query: 'a', globs: ['['] })).rejects.toThrow("The glob '[' has a '['")
})

test('a pattern of .gitignore that would take forever is not followed', async () => {
  const path = `${'a/'.repeat(60)}c`
  const result = await search({ '.gitignore': `${'**/a/'.repeat(9)}b`, [path]: 'needle' }, { query: 'needle' })
  expect(placesOf(result)).toEqual([`${path}:1:1`])
})

test('a search stops at its signal', async () => {
  const files = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${index}/a`, 'needle']))
  const cwd = await makeTestFolder(files)
  const cancel = new AbortController()
  let asked = 0
  const isDenied = () => {
    if (++asked === 60) cancel.abort(new Error('enough'))
    return false
  }
  await expect(searchIn(cwd, { query: 'needle', isDenied, signal: cancel.signal })).rejects.toThrow('enough')
  expect(asked).toBeLessThan(100)
})

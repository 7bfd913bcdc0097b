import { afterAll, describe, expect, test } from 'vitest'
import { HubError } from '@herma/contract'
import type { Arguments, ToolResult } from '../core/own-tool.ts'
import { codeModeTool } from './code-mode.ts'
import { Sandbox } from './sandbox/sandbox.ts'
import { createModeCatalog, TestToolContext, textResult } from './testing/mode-setting.ts'

const sandbox = new Sandbox({ maxThreads: 1 })
afterAll(() => sandbox.stop())

const catalog = createModeCatalog([
  {
    name: 'files__read_file',
    description: 'Reads a file.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string', description: 'Where.' } },
      required: ['path'],
    },
  },
  { name: 'math-add', server: 'math', description: 'Adds two numbers.' },
  { name: 'fails', server: 'math' },
])
const tool = codeModeTool({ overview: catalog, scope: () => catalog, sandbox })

function runTool(name: string, args: Arguments): ToolResult | Promise<ToolResult> {
  if (name === 'files__read_file') return textResult(`text of ${String(args['path'])}`)
  if (name === 'math-add') return { content: [], structuredContent: { sum: Number(args['a']) + Number(args['b']) } }
  return Promise.reject(new HubError('DOWNSTREAM_UNAVAILABLE', "'math' did not start."))
}

async function run(code: string, context = new TestToolContext(runTool)): Promise<ToolResult> {
  return await tool.run({ code }, context)
}

const text = (result: ToolResult, index = 0) => result.content[index]?.['text']

describe('run_code', () => {
  test('tells of the tools, and honestly of itself', () => {
    expect(tool.descriptor['description']).toContain('files__read_file(args: { path: string }): Promise<unknown>')
    expect(tool.descriptor['annotations']).toMatchObject({ readOnlyHint: false, destructiveHint: true })
  })

  test('combines tools and answers with what the script returns', async () => {
    const context = new TestToolContext(runTool)
    const code = `
      const files = await Promise.all(['a', 'b'].map((path) => tools.files__read_file({ path })))
      const { sum } = await tools['math-add']({ a: 1, b: 2 })
      console.log('read', files.length)
      return { files, sum }`
    const result = await run(code, context)
    expect(result.isError).toBeUndefined()
    expect(JSON.parse(text(result) as string)).toEqual({ files: ['text of a', 'text of b'], sum: 3 })
    expect(text(result, 1)).toBe('Console:\nread 2')
    expect(context.called.map(({ name }) => name)).toEqual(['files__read_file', 'files__read_file', 'math-add'])
    expect(context.messages).toEqual(context.called.map(({ name }) => name))
  })

  test.each([
    ['return "two\\nlines"', 'two\nlines'],
    ['1', 'The script returned nothing.'],
    ['async () => { return 5 };', '5'],
    ['async function main() {\n  return 6\n}', '6'],
    [
      'return (await searchTools("add numbers"))[0]',
      '{"name":"math-add","server":"math","description":"Adds two numbers."}',
    ],
    ['return await sleep(1)', 'The script returned nothing.'],
  ])('%j answers %j', async (code, answer) => {
    expect(text(await run(code))).toBe(answer)
  })

  test('lets a script read what a tool takes', async () => {
    expect(text(await run('return await describeTool("files__read_file")'))).toContain('/** Where. */ path: string')
  })

  test.each([
    ['\nawait tools.fails()', "Error: 'math' did not start.\n    at <anonymous> (script.js:2:"],
    ['await tools.files_read_file({})', "There is no tool 'files_read_file'. Did you mean files__read_file?"],
    ['await tools.run_code({ code: "" })', "There is no tool 'run_code'."],
    ['await describeTool(5)', "There is no tool '5'."],
    ['await tools.files__read_file("a")', 'takes one object'],
    ['await searchTools()', 'searchTools takes words'],
    ['await sleep("x")', 'sleep takes milliseconds'],
  ])('%j fails with the reason', async (code, part) => {
    const result = await run(code)
    expect(result.isError).toBe(true)
    expect(text(result)).toContain(part)
  })

  test('calls only what this caller may see', async () => {
    const own = codeModeTool({ overview: catalog, scope: () => createModeCatalog([]), sandbox })
    const context = new TestToolContext(runTool)
    expect(await own.run({ code: 'return await tools.files__read_file({ path: "a" })' }, context)).toMatchObject({
      isError: true,
    })
    expect(context.called).toEqual([])
  })

  test('ends with the request of the client', async () => {
    const cancel = new AbortController()
    const context = new TestToolContext(() => {
      cancel.abort()
      return new Promise(() => undefined)
    }, cancel.signal)
    expect(await run('await tools.fails()', context)).toMatchObject({
      isError: true,
      content: [{ text: 'The script was cancelled.' }],
    })
  })

  test('gives a script as long as it is told', async () => {
    const context = new TestToolContext(runTool)
    const result = await tool.run({ code: 'await sleep(60000)', timeoutSeconds: 1 }, context)
    expect(text(result)).toMatch(/^The script did not end in time\./)
  })

  test.each([
    [{}, "'code'"],
    [{ code: '  ' }, "'code'"],
    [{ code: 5 }, "'code'"],
    [{ code: 'x'.repeat(300_000) }, '262144 characters'],
    [{ code: '1', timeoutSeconds: 301 }, '1 to 300'],
    [{ code: '1', timeoutSeconds: '5' }, "'timeoutSeconds'"],
    [{ code: '1', timeoutSeconds: Number.NaN }, "'timeoutSeconds'"],
  ])('refuses bad arguments and says what it takes (%#)', async (args, part) => {
    const result = await tool.run(args, new TestToolContext())
    expect(result.isError).toBe(true)
    expect(text(result)).toContain(part)
  })
})

import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, test } from 'vitest'

const run = promisify(execFile)
const folder = fileURLToPath(new URL('../../examples/framework', import.meta.url))
const examples = readdirSync(folder).filter((name) => /^\d\d-.*\.ts$/.test(name))
const tsx = ['--conditions=herma-source', '--import', import.meta.resolve('tsx')]

test('there are ten examples', () => {
  expect(examples.map((name) => name.slice(0, 2))).toEqual(
    Array.from({ length: 10 }, (_, index) => `${index + 1}`.padStart(2, '0')),
  )
})

test.each(examples)('%s passes its own check', async (name) => {
  await expect(run(process.execPath, [...tsx, join(folder, name), '--check'])).resolves.toMatchObject({ stdout: '' })
})

test('without --check an example serves', async () => {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [...tsx, join(folder, '01-hello.ts')] }),
  )
  try {
    const answer = await client.callTool({ name: 'greet', arguments: { name: 'Ada' } })

    expect(answer.content).toEqual([{ type: 'text', text: 'Hello, Ada!' }])
  } finally {
    await client.close()
  }
})

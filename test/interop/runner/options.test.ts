import { expect, test } from 'vitest'
import { parseOptions } from './options.ts'

test('without options every client runs against the build', () => {
  expect(parseOptions([])).toEqual({ help: false, source: false, clients: [] })
})

test('clients can be chosen, several at once', () => {
  expect(parseOptions(['--client', 'mcporter', '--client', 'fastmcp', '--source'])).toEqual({
    help: false,
    source: true,
    clients: ['mcporter', 'fastmcp'],
  })
})

test('an unknown client is refused with the names of those that are known', () => {
  expect(() => parseOptions(['--client', 'curl'])).toThrow(/--client curl: use one of inspector, mcpdo, mcp-remote/)
})

test('an unknown option is refused with the next step', () => {
  expect(() => parseOptions(['--clients'])).toThrow('npm run interop -- --help')
})

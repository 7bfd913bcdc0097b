import { expect, test } from 'vitest'
import { parseOptions } from './options.ts'

test('without options every client runs against the build', () => {
  const { clients, ...rest } = parseOptions([])
  expect(clients).toEqual(expect.arrayContaining(['claude-code', 'go-sdk', 'inspector']))
  expect(rest).toEqual({ help: false, source: false, quick: false, write: false })
})

test('clients can be chosen, several at once', () => {
  expect(parseOptions(['--client', 'mcporter', '--client', 'codex', '--source'])).toEqual({
    help: false,
    source: true,
    quick: false,
    write: false,
    clients: ['mcporter', 'codex'],
  })
})

test('an unknown client is refused with the names of those that are known', () => {
  expect(() => parseOptions(['--client', 'curl'])).toThrow(/--client curl: use one of claude-code, codex, .*inspector/)
})

test('an unknown option is refused with the next step', () => {
  expect(() => parseOptions(['--clients'])).toThrow('npm run interop -- --help')
})

test('the page is written of everything or not at all', () => {
  expect(parseOptions(['--write']).write).toBe(true)
  expect(() => parseOptions(['--write', '--client', 'codex'])).toThrow('leave out --client')
  expect(() => parseOptions(['--write', '--quick'])).toThrow('leave out --client and --quick')
})

test('the quick part chooses its clients itself', () => {
  expect(parseOptions(['--quick']).clients).toEqual(['codex', 'codex-app-server', 'python-sdk-2'])
  expect(() => parseOptions(['--quick', '--client', 'codex'])).toThrow('leave out --client')
})

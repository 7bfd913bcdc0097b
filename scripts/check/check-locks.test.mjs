import { expect, test } from 'vitest'
import { explainLock } from './check-locks.mjs'

test('a lock file that names every optional package is sound', () => {
  const packages = {
    'packages/web': { optionalDependencies: { deep: '1' } },
    'packages/web/node_modules/deep': {},
    'node_modules/tool': { optionalDependencies: { 'tool-linux': '1', '@tool/mac': '1' } },
    'node_modules/tool-linux': {},
    'node_modules/@tool/mac': {},
  }

  expect(explainLock('package-lock.json', JSON.stringify({ packages }))).toEqual([])
})

test('an optional package that could not be locked is named', () => {
  const packages = { 'node_modules/tool': { optionalDependencies: { 'tool-mac': '1' } } }

  expect(explainLock('package-lock.json', JSON.stringify({ packages }))[0]).toMatch(
    /node_modules\/tool wants what is not locked.*tool-mac/,
  )
})

test('a download address is found, a link to a workspace is not', () => {
  const lock = (/** @type {string} */ resolved) => JSON.stringify({ packages: { 'node_modules/a': { resolved } } })

  expect(explainLock('package-lock.json', lock('https://example.com/a.tgz'))[0]).toMatch(/download addresses/)
  expect(explainLock('package-lock.json', lock('packages/hub'))).toEqual([])
})

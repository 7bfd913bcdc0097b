import { expect, test } from 'vitest'
import { isSamePackages } from './install-packages.mjs'

const zod = { version: '4.6.7', integrity: 'sha512-a' }

test('what npm installed from this lock file is not installed again', () => {
  const wanted = lock({ '': {}, 'packages/hub': { version: '0.1.0' }, 'node_modules/zod': zod })

  expect(isSamePackages(wanted, lock({ 'node_modules/zod': zod }))).toBe(true)
})

test('a package for another platform may be absent', () => {
  const wanted = lock({ 'node_modules/zod': zod, 'node_modules/only-mac': { version: '1.0.0', optional: true } })

  expect(isSamePackages(wanted, lock({ 'node_modules/zod': zod }))).toBe(true)
})

test('another version, another content or a missing package asks for an install', () => {
  const wanted = lock({ 'node_modules/zod': zod })

  expect(isSamePackages(wanted, lock({ 'node_modules/zod': { ...zod, version: '4.6.8' } }))).toBe(false)
  expect(isSamePackages(wanted, lock({ 'node_modules/zod': { ...zod, integrity: 'sha512-b' } }))).toBe(false)
  expect(isSamePackages(wanted, lock({}))).toBe(false)
})

/** @param {Record<string, object>} packages */
function lock(packages) {
  return JSON.stringify({ packages })
}

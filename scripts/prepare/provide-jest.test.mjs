import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { provideJest } from './provide-jest.mjs'

const install =
  "require('fs').mkdirSync('node_modules/.bin',{recursive:true});require('fs').writeFileSync('node_modules/.bin/jest','')"

/** A cache, and an npm that runs a script instead. */
function setUp(/** @type {string} */ script) {
  const cache = mkdtempSync(join(tmpdir(), 'herma-test-jest-'))
  onTestFinished(() => rmSync(cache, { recursive: true }))
  return { cache, npm: [process.execPath, '-e', script, '--'] }
}

test('jest is installed once, also when two clones do it at the same time', async () => {
  const place = setUp(install)
  const [one, other] = await Promise.all([provideJest(place), provideJest(place)])
  expect(one).toEqual({ path: expect.stringContaining(place.cache) })
  expect(other).toEqual(one)
  expect(readdirSync(place.cache)).toHaveLength(1)
  expect(await provideJest({ cache: place.cache, npm: ['/nowhere/npm'] })).toEqual(one)
})

test('without a registry or without npm there is a reason, and nothing half-done in the cache', async () => {
  const { cache, npm } = setUp(`${install};process.exit(1)`)
  expect(await provideJest({ cache, npm })).toEqual({ reason: expect.stringContaining('npm ci ended with 1.') })
  expect(await provideJest({ cache, npm: ['/nowhere/npm'] })).toEqual({ reason: expect.stringContaining('ENOENT') })
  expect(readdirSync(cache)).toEqual([])
  expect(await provideJest({ cache: '/dev/null/cache', npm })).toEqual({ reason: expect.stringContaining('ENOTDIR') })
})

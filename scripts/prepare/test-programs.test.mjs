import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { sourceFiles } from '../check/source-files.mjs'
import { root } from './repository.mjs'
import { explainInstalls, findPrograms, programs, providePrograms } from './test-programs.mjs'

afterEach(() => vi.unstubAllEnvs())

const names = (/** @type {string[]} */ filters) => findPrograms(filters).map(({ name }) => name)

test('only the programs of the chosen tests are looked for', () => {
  expect(names([])).toEqual(programs.map(({ name }) => name))
  expect(names(['packages/contract', 'scripts'])).toEqual([])
  expect(names(['test/e2e/web/shell'])).toEqual(['chromium'])
  expect(names(['./test/e2e/oauth-server-browser.test.ts:17'])).toEqual(['chromium'])
  expect(names(['workspace/test-run'])).toEqual(['pytest', 'mix', 'jest', 'go', 'cargo'])
})

test('what is here is not announced, and what is missing is announced with its tests', () => {
  const [chromium] = findPrograms(['test/e2e/web'])
  const jest = findPrograms().find(({ name }) => name === 'jest')
  if (chromium === undefined || jest === undefined) throw new Error('The list names both.')

  expect(explainInstalls([{ ...chromium, path: '/usr/bin/chromium' }])).toBe('')
  expect(explainInstalls([{ ...jest, path: null }])).toMatch(
    /^Going to install, and to keep:\n {2}jest, with npm into .*, for a real run of jest .*run-tests\.test\.ts\)\n$/,
  )
})

test('a program that cannot be had is named with the next step, and its variable is empty', async () => {
  vi.stubEnv('PATH', '/nowhere')
  const wanted = findPrograms().filter(({ name }) => name === 'go')
  expect(explainInstalls(wanted)).toBe('')
  expect(await providePrograms(wanted)).toEqual({
    environment: {},
    missing: ['a real run of go test by a session, because go is missing. Install go yourself.'],
  })

  vi.stubEnv('HERMA_CHROMIUM', '/nowhere/chromium')
  expect(await providePrograms(findPrograms(['test/e2e/web']))).toEqual({
    environment: { HERMA_CHROMIUM: '' },
    missing: [expect.stringContaining('HERMA_CHROMIUM names /nowhere/chromium, which cannot be run.')],
  })
})

test('the list names every test that looks for one of these programs, and none that is gone', () => {
  const places = programs.flatMap((program) => program.tests)
  expect(places.filter((place) => !existsSync(join(root, place)))).toEqual([])
  const users = [...sourceFiles('test'), ...sourceFiles('packages')]
    .filter((path) => /\.test\.tsx?$/.test(path))
    .filter((path) => /\bHERMA_(CHROMIUM|JEST)\b|open-browser\.ts/.test(readFileSync(join(root, path), 'utf8')))
  expect(users.filter((path) => !places.some((place) => path.startsWith(place)))).toEqual([])
  expect(users.length).toBeGreaterThan(5)
})

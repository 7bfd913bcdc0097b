import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chooseScenarios } from './choose-scenarios.ts'
import type { Suite } from './install-suite.ts'
import { legs } from './legs.ts'

let folder: string
let suite: Suite
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'herma-choose-scenarios-'))
  const script = join(folder, 'suite.mjs')
  // The suite prints its list like this; with a revision, only what belongs to it.
  const lines = [
    'tools_call [2025-11-25,2026-07-28]',
    'auth/basic [2026-07-28]',
    'tasks-get [extension]',
    'auth/dpop [extension]',
  ]
  await writeFile(
    script,
    `const all = ${JSON.stringify(lines)}
     const version = process.argv[process.argv.indexOf('--spec-version') + 1]
     const isFiltered = process.argv.includes('--spec-version')
     for (const line of all) if (!isFiltered || line.includes(version)) console.log('  - ' + line)`,
  )
  suite = { node: process.execPath, script, version: '0.0.0' }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const leg = (name: string) => legs.find((each) => each.name === name)!

test('all scenarios of a revision are the whole suite, and one of them is not', async () => {
  expect(await chooseScenarios(suite, leg('2026-07-28'), [])).toEqual({
    scenarios: ['tools_call', 'auth/basic'],
    isSuite: true,
    notYet: [],
  })
  expect(await chooseScenarios(suite, leg('2026-07-28'), ['tools_call'])).toMatchObject({
    scenarios: ['tools_call'],
    isSuite: false,
  })
})

test('a client scenario that needs what is not built is not run, and is told', async () => {
  const { scenarios, isSuite, notYet } = await chooseScenarios(suite, leg('client-extensions'), [])
  expect(scenarios).toEqual(['tasks-get'])
  expect(isSuite).toBe(false)
  expect(notYet).toEqual([{ scenario: 'auth/dpop', reason: 'needs tokens that are bound to a key (DPoP)' }])
})

test('an extension is chosen by the beginning of its name and never with a revision', async () => {
  expect((await chooseScenarios(suite, leg('tasks'), [])).scenarios).toEqual(['tasks-get'])
  const extensions = await chooseScenarios(suite, leg('client-extensions'), [])
  expect(extensions.scenarios).toEqual(['tasks-get'])
  expect(extensions.notYet.map(({ scenario }) => scenario)).toEqual(['auth/dpop'])
})

test('a revision without scenarios is an error and not an empty pass', async () => {
  await expect(chooseScenarios(suite, leg('2025-06-18'), [])).rejects.toThrow('no server scenario for 2025-06-18')
})

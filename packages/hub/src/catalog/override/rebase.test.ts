import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { baseFor, rebase, type OverrideBase } from './rebase.ts'

const folder = fileURLToPath(new URL('cases', import.meta.url))
const read = (name: string, file: string) => JSON.parse(readFileSync(`${folder}/${name}/${file}`, 'utf8')) as unknown

test.each(readdirSync(folder))('an override that is %s', (name) => {
  const { original, ...base } = read(name, 'override.json') as OverrideBase & { original?: unknown }
  expect({ state: rebase(base, original) }).toEqual(read(name, 'expected.json'))
})

test('the base stays while the override is the same, and is what the server says now for a new one', () => {
  const known = { base: 'old', override: 'mine' }
  expect(baseFor(known, 'mine', 'new')).toBe(known)
  expect(baseFor(known, 'other', 'new')).toEqual({ base: 'new', override: 'other' })
  expect(baseFor(undefined, 'mine', undefined)).toEqual({ base: null, override: 'mine' })
})

import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Descriptor } from '../../wire/index.ts'
import { diffCatalogs } from './diff-catalogs.ts'

// A case is cases/<name>/input.json and expected.json: an intended list of tools, a live one, and how they differ.
interface CaseInput {
  readonly intended: readonly Descriptor[]
  readonly live: readonly Descriptor[]
}

const folder = new URL('cases/', import.meta.url)

function read(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, folder), 'utf8'))
}

test.each(readdirSync(folder))('the case %s comes out as expected', (name) => {
  const { intended, live } = read(`${name}/input.json`) as CaseInput
  expect(diffCatalogs(intended, live)).toEqual(read(`${name}/expected.json`))
})

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadFragmentFile } from './load-fragment-file.ts'
import { mergeFragments } from './merge-fragments.ts'

// A case is a folder of two files: what is read, and what comes of it. The name of the first says how it is read:
// fragment.json, custom_tools.json, or layers.json, which has one file per key.
const cases = join(import.meta.dirname, 'cases')

test.each(readdirSync(cases))('%s', (name) => {
  const expected: unknown = JSON.parse(readFileSync(join(cases, name, 'expected.json'), 'utf8'))
  expect(JSON.parse(JSON.stringify(runCase(join(cases, name))))).toEqual(expected)
})

function runCase(folder: string): unknown {
  const file = readdirSync(folder).find((name) => name !== 'expected.json') ?? 'nothing'
  const bytes = readFileSync(join(folder, file))
  if (file === 'layers.json') return mergeFiles(JSON.parse(bytes.toString('utf8')) as Record<string, unknown>)
  const { view, fragment, customTools } = load(file, bytes)
  return { fragment, customTools, errors: view.errors, differences: view.differences }
}

function mergeFiles(files: Record<string, unknown>): unknown {
  const layers = Object.entries(files).map(([file, content]) =>
    load(file, Buffer.from(JSON.stringify(content, null, 2))),
  )
  const { catalog, views } = mergeFragments(layers)
  return { catalog, notes: Object.fromEntries(views.map(({ file, differences }) => [file, differences])) }
}

function load(file: string, bytes: Buffer) {
  const kind = file === 'custom_tools.json' ? 'custom-tools' : 'catalog'
  const folders = { configHome: '/config', stateHome: '/state', workspace: '/workspace' }
  return loadFragmentFile({ file, kind, name: file }, bytes, folders)
}

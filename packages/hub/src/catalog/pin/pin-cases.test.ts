import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Descriptor } from '../../wire/index.ts'
import { diffDescriptor } from './diff-descriptor.ts'
import { hashDescriptor } from './hash-descriptor.ts'
import { scanCatalog, type ScannedTool } from './scan/scan-catalog.ts'
import { scanDescriptor } from './scan/scan-descriptor.ts'

// A case is cases/<name>/input.json and expected.json: one tool or the tools of several servers to be scanned, or a
// tool before and after a change.
interface CaseInput {
  readonly tool?: Descriptor
  readonly tools?: readonly ScannedTool[]
  readonly before?: Descriptor
  readonly after?: Descriptor
}

const folder = new URL('cases/', import.meta.url)

function read(name: string, file: string): unknown {
  return JSON.parse(readFileSync(new URL(`${name}/${file}`, folder), 'utf8'))
}

function run({ tool, tools, before, after }: CaseInput): unknown {
  if (tool !== undefined) return scanDescriptor(tool)
  if (tools !== undefined) return scanCatalog(tools)
  return {
    isSame: hashDescriptor(before!) === hashDescriptor(after!),
    differences: diffDescriptor(before!, after!),
  }
}

test.each(readdirSync(folder))('the case %s comes out as expected', (name) => {
  expect(run(read(name, 'input.json') as CaseInput)).toEqual(read(name, 'expected.json'))
})

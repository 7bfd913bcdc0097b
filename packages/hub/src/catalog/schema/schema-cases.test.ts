import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Era, Descriptor } from '../../wire/index.ts'
import type { ScannedTool } from '../pin/scan/scan-catalog.ts'
import { findContradiction } from './check-output.ts'
import { normaliseTool } from './normalisation/normalise-tool.ts'

// A case is cases/<name>/input.json and expected.json: a tool to be normalised, or an output schema and results of
// which each is told how it contradicts the schema.
interface CaseInput {
  readonly tool?: Descriptor
  readonly era?: Era
  readonly outputSchema?: unknown
  readonly results?: readonly unknown[]
}

const folder = new URL('cases/', import.meta.url)

function read(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, folder), 'utf8'))
}

function run({ tool, era, outputSchema, results }: CaseInput): unknown {
  if (results !== undefined) return results.map((result) => findContradiction(outputSchema, result))
  return normaliseTool(tool!, era)
}

test.each(readdirSync(folder))('the case %s comes out as expected', (name) => {
  expect(run(read(`${name}/input.json`) as CaseInput)).toEqual(read(`${name}/expected.json`))
})

const normalised = readdirSync(folder)
  .map((name) => read(`${name}/expected.json`) as { descriptor?: Descriptor })
  .flatMap(({ descriptor }) => (descriptor === undefined ? [] : [descriptor]))

describe('a schema that is fine', () => {
  test.each(['everything', 'filesystem', 'memory'])('stays as it is: those of the server %s', (server) => {
    const { tools } = read(`../../pin/cases/recorded-${server}/input.json`) as { tools: ScannedTool[] }
    for (const { descriptor } of tools) {
      const result = normaliseTool(descriptor)
      expect(result.status).toEqual({ state: 'original', changes: [] })
      expect(result.descriptor).toBe(descriptor)
    }
  })

  test('is what every normalised one is', () => {
    for (const descriptor of normalised) expect(normaliseTool(descriptor, 'modern').descriptor).toBe(descriptor)
  })
})

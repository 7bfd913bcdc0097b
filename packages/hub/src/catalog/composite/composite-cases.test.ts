import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Aggregation, CompositeDefaults, HubError, MappingRule, Pipeline } from '@herma/contract'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { createLog } from '../../platform/log.ts'
import { isObject } from '../../wire/index.ts'
import type { OwnTool, ToolReference } from '../core/own-tool.ts'
import { AggregateStates } from './aggregate/aggregate-state.ts'
import { createAggregate } from './aggregate/create-aggregate.ts'
import { createPipeline } from './pipeline/create-pipeline.ts'
import { dryRunAggregate } from './aggregate/dry-run-aggregate.ts'
import { dryRun } from './pipeline/dry-run-pipeline.ts'
import { mapValues } from './value/map-values.ts'
import { createScriptedContext, type SentCall } from './testing/scripted-context.ts'

// A case is a folder: what goes in, in a file named for its kind, and expected.json, what comes out. In both, {{WORK}}
// is a folder that is made for the case. Of what comes out only the parts that expected.json names are compared.
const folder = join(import.meta.dirname, 'cases')

const Tools = z.record(z.string(), z.record(z.string(), z.unknown())).default({})
const Call = z.object({
  arguments: z.record(z.string(), z.unknown()).default({}),
  answers: z.record(z.string(), z.unknown()).default({}),
  principal: z.string().optional(),
})
const Surroundings = z.object({
  about: z.string(),
  tools: Tools,
  defaults: CompositeDefaults.optional(),
  folders: z.array(z.string()).default([]),
  links: z.record(z.string(), z.string()).default({}),
  calls: z.array(Call).default([]),
  dryRun: z.record(z.string(), z.unknown()).optional(),
})

let work: string | undefined
afterEach(() => {
  if (work !== undefined) rmSync(work, { recursive: true, force: true })
  work = undefined
})

const runners: Record<string, (input: unknown) => Promise<unknown>> = {
  'mapping.json': async (input) => {
    const { rules, data } = z.object({ rules: z.array(MappingRule), data: z.unknown() }).parse(input)
    return mapValues(rules, data)
  },
  'aggregate.json': async (input) => {
    const surroundings = Surroundings.extend({ aggregation: Aggregation }).parse(input)
    const { aggregation, defaults } = surroundings
    const describeMember = describeFrom(surroundings.tools)
    const states = new AggregateStates({
      stateHome: join(work!, 'state'),
      variables: { WORK: work! },
      log: createLog('silent'),
    })
    if (surroundings.dryRun !== undefined) {
      return {
        dryRun: dryRunAggregate(aggregation, surroundings.dryRun, { describeMember, ...(defaults && { defaults }) }),
      }
    }
    return await runTool(
      () => createAggregate({ ...aggregation, origin: 'catalog/case.json' }, { defaults, describeMember, states }),
      surroundings,
    )
  },
  'pipeline.json': async (input) => {
    const surroundings = Surroundings.extend({ pipeline: Pipeline }).parse(input)
    const { pipeline, defaults } = surroundings
    const describeMember = describeFrom(surroundings.tools)
    if (surroundings.dryRun !== undefined) return { dryRun: dryRun(pipeline, surroundings.dryRun, describeMember) }
    return await runTool(
      () => createPipeline({ ...pipeline, origin: 'catalog/case.json' }, { defaults, describeMember }),
      surroundings,
    )
  },
}

test.each(readdirSync(folder).toSorted())('case %s', async (name) => {
  work = realpathSync(mkdtempSync(join(tmpdir(), 'herma-composite-')))
  const files = readdirSync(join(folder, name))
  const file = files.find((each) => Object.hasOwn(runners, each))
  expect(file, `${name} has none of ${Object.keys(runners).join(', ')}`).toBeDefined()
  const actual = await runners[file!]!(readCase(name, file!))
  const expected = readCase(name, 'expected.json')
  expect(Object.keys(expected).length).toBeGreaterThan(0)
  expect(pickNamed(expected, JSON.parse(JSON.stringify(actual)))).toEqual(expected)
})

interface Outcome {
  descriptor?: unknown
  notes?: readonly string[]
  sent?: SentCall[]
  results?: unknown[]
  refused?: string
}

async function runTool(
  create: () => OwnTool & { notes: readonly string[] },
  { folders, links, calls }: z.infer<typeof Surroundings>,
): Promise<Outcome> {
  for (const each of folders) mkdirSync(join(work!, each), { recursive: true })
  for (const [from, to] of Object.entries(links)) symlinkSync(join(work!, to), join(work!, from))
  let tool
  try {
    tool = create()
  } catch (error) {
    return { refused: (error as Error).message }
  }
  const sent: SentCall[] = []
  const results: unknown[] = []
  for (const { arguments: args, answers, principal } of calls) {
    const context = createScriptedContext(answers, principal === undefined ? {} : { principal })
    try {
      results.push(withoutTimes(await tool.run(args, context)))
    } catch (error) {
      if (!(error instanceof HubError)) throw error
      results.push({ thrown: error.code, message: error.message })
    }
    sent.push(...context.sent)
  }
  return { descriptor: tool.descriptor, notes: tool.notes, sent, results }
}

function describeFrom(tools: z.infer<typeof Tools>) {
  return ({ server, tool }: ToolReference) => tools[server === undefined ? tool : `${server}/${tool}`]
}

// How long something took is never the same twice.
function withoutTimes(result: unknown): unknown {
  return JSON.parse(JSON.stringify(result), (key, value: unknown) => (key === 'ms' ? undefined : value))
}

function readCase(name: string, file: string): Record<string, unknown> {
  const text = readFileSync(join(folder, name, file), 'utf8').replaceAll('{{WORK}}', work!)
  return JSON.parse(text) as Record<string, unknown>
}

function pickNamed(expected: Record<string, unknown>, actual: unknown): unknown {
  if (!isObject(actual)) return actual
  return Object.fromEntries(Object.keys(expected).map((key) => [key, actual[key]]))
}

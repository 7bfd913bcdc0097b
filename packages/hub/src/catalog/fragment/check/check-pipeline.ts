import type { CallStep, Pipeline } from '@herma/contract'
import { isObject } from '../../../wire/index.ts'
import { found, type FoundProblem, notAnObject } from './found-problem.ts'
import type { JsonPath } from '../json/json-path.ts'
import { didYouMean } from './nearest-name.ts'
import { isObjectSchema } from './object-schema.ts'

/** Finds steps of the same id, and references to steps that have not run by then. */
export function checkPipeline(pipeline: Pipeline, path: JsonPath): FoundProblem[] {
  const rounds = pipeline.steps.map((step, index) => roundOf(step, [...path, 'steps', index]))
  const all = new Set(rounds.flat().map(({ step }) => step.id))
  const done = new Set<string>()
  const problems = rounds.flatMap((round) => [
    // Steps that run side by side do not see each other.
    ...round.flatMap(({ step, place }) => checkStep(step, place, { done, all })),
    ...round.flatMap(({ step, place }) => {
      if (done.has(step.id))
        return [found([...place, 'id'], `'${step.id}' is the id of an earlier step. Choose another.`)]
      done.add(step.id)
      return []
    }),
  ])
  const isObjects = isObjectSchema(pipeline.inputSchema)
  return [
    ...(isObjects ? [] : [found([...path, 'inputSchema', 'type'], notAnObject)]),
    ...problems,
    ...checkReferences(pipeline.result, [...path, 'result'], { done, all }),
  ]
}

function checkStep({ arguments: args, when, forEach }: CallStep, place: JsonPath, steps: KnownSteps): FoundProblem[] {
  return Object.entries({ arguments: args, when, forEach }).flatMap(([key, template]) =>
    checkReferences(template, [...place, key], steps),
  )
}

interface PlacedStep {
  readonly step: CallStep
  readonly place: JsonPath
}

function roundOf(step: Pipeline['steps'][number], place: JsonPath): PlacedStep[] {
  if (!('parallel' in step)) return [{ step, place }]
  return step.parallel.map((each, index) => ({ step: each, place: [...place, 'parallel', index] }))
}

interface KnownSteps {
  /** Those that have run. */
  readonly done: ReadonlySet<string>
  readonly all: ReadonlySet<string>
}

function checkReferences(template: unknown, path: JsonPath, steps: KnownSteps): FoundProblem[] {
  if (typeof template === 'string') {
    return [...template.matchAll(/\{\{\s*steps\.(\w+)/g)].flatMap(([, id = '']) => {
      if (steps.done.has(id)) return []
      if (steps.all.has(id)) return [found(path, `The step '${id}' has not run by then. Use an earlier one.`)]
      return [found(path, `There is no step '${id}'.${didYouMean(id, steps.all)}`)]
    })
  }
  if (Array.isArray(template)) {
    return template.flatMap((entry, index) => checkReferences(entry, [...path, index], steps))
  }
  if (!isObject(template)) return []
  return Object.entries(template).flatMap(([key, entry]) => checkReferences(entry, [...path, key], steps))
}

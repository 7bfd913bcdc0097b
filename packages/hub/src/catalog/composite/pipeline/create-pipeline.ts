import { HubError, type CompositeDefaults, type Pipeline } from '@herma/contract'
import { isObject } from '../../../wire/index.ts'
import { errorResult, type Arguments, type ToolResult } from '../../core/own-tool.ts'
import type { Composite } from '../aggregate/create-aggregate.ts'
import { decodeArguments } from '../value/decode-json-text.ts'
import { deriveAnnotations, effectsOf } from '../derive-annotations.ts'
import { memberLabel, quoteNames, type DescribeMember } from '../member.ts'
import { honestOutputSchema, promisedKeys } from '../value/output-schema.ts'
import { callsOf, pipelineProblems } from './pipeline-problems.ts'
import { PipelineRun } from './pipeline-run.ts'
import { findIn, renderTemplate } from './render-template.ts'
import { requiredKeys } from '../value/schema-type.ts'
import { finishResult, shapeResult, textBlock } from '../aggregate/shape-result.ts'

export interface PipelineOptions {
  readonly defaults?: CompositeDefaults | undefined
  readonly describeMember: DescribeMember
}

/** Makes one tool of steps. Throws when the definition cannot work. */
export function createPipeline(pipeline: Pipeline & { origin: string }, options: PipelineOptions): Composite {
  const problems = pipelineProblems(pipeline)
  if (problems.length > 0) throw new HubError('INVALID_PARAMS', problems.join(' '))
  const { name, title, description, inputSchema } = pipeline
  const members = pipeline.steps.flatMap(callsOf).map((step) => ({
    label: memberLabel(step),
    effects: effectsOf(options.describeMember(step)),
  }))
  const { annotations, notes } = deriveAnnotations(members, pipeline.annotations)
  const output = honestOutputSchema(pipeline.outputSchema, [
    {
      label: pipeline.result === undefined ? 'its last step' : 'its result',
      keys: answerKeys(pipeline, options.describeMember),
    },
  ])

  return {
    name,
    origin: pipeline.origin,
    descriptor: {
      name,
      ...(title === undefined ? {} : { title }),
      description,
      inputSchema: { ...inputSchema, type: 'object' },
      ...(output.schema === undefined ? {} : { outputSchema: output.schema }),
      annotations,
    },
    tags: pipeline.tags ?? [],
    notes: [...notes, ...output.notes],
    run: async (args, context) => {
      const input = decodeArguments(args, inputSchema)
      const missing = missingInput(pipeline, input)
      if (missing !== undefined) return errorResult(missing)
      const run = new PipelineRun(pipeline, input, { context, stepSeconds: options.defaults?.timeoutSeconds })
      await run.run()
      const answer = toAnswer(pipeline, run, output.schema)
      return { ...answer, _meta: { ...answer._meta, 'herma/steps': run.records } }
    },
  }
}

/** What is missing in the input of a pipeline. */
export function missingInput({ name, inputSchema }: Pipeline, input: Arguments): string | undefined {
  const missing = requiredKeys(inputSchema).filter((key) => !Object.hasOwn(input, key) || input[key] === undefined)
  if (missing.length === 0) return undefined
  const given = Object.keys(input)
  return (
    `'${name}' needs the argument${missing.length === 1 ? '' : 's'} ${quoteNames(missing)}. ` +
    `Given: ${given.length === 0 ? 'nothing' : quoteNames(given)}.`
  )
}

function toAnswer(pipeline: Pipeline, run: PipelineRun, outputSchema: Record<string, unknown> | undefined): ToolResult {
  if (run.failure !== undefined) return errorResult(run.failure)
  const shape = { label: `'${pipeline.name}'`, outputSchema }
  if (pipeline.result === undefined) {
    const last = run.last ?? { content: [textBlock('No step had to run.')] }
    return last.isError === true ? shapeResult(last, shape) : finishResult(last, last.structuredContent, shape)
  }
  const value = renderResult(pipeline, run)
  if (value instanceof HubError) return errorResult(`The steps of '${pipeline.name}' are done, but ${value.message}`)
  return finishResult({ content: [textBlock(value)] }, value, shape)
}

function renderResult({ result }: Pipeline, run: PipelineRun): unknown {
  try {
    const value = renderTemplate(result, findIn({ ...run.scope }))
    return value === undefined ? new HubError('INVALID_PARAMS', `${String(result)} of its result has no value.`) : value
  } catch (error) {
    if (error instanceof HubError) return error
    throw error
  }
}

/** The keys that the answer is sure to have, as far as the definition tells. */
function answerKeys({ result, steps }: Pipeline, describeMember: DescribeMember): string[] | undefined {
  if (result !== undefined) return isObject(result) ? Object.keys(result) : undefined
  const last = steps.at(-1)
  const isSure = last !== undefined && !('parallel' in last) && last.when === undefined && last.forEach === undefined
  return isSure ? promisedKeys(describeMember(last)) : undefined
}

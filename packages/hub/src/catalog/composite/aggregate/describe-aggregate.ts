import type { Aggregation, Operation, StateOperation } from '@herma/contract'
import { isObject, type Descriptor } from '../../../wire/index.ts'
import type { AggregatePlan } from './aggregate-plan.ts'
import { deriveAnnotations, effectsOf, type Effects } from '../derive-annotations.ts'
import { hasLiteral, sourceField } from '../value/map-values.ts'
import { memberLabel, quoteNames, type DescribeMember } from '../member.ts'
import { honestOutputSchema, mappedKeys, promisedKeys } from '../value/output-schema.ts'
import { requiredKeys } from '../value/schema-type.ts'
import { splitPath } from '../value/value-path.ts'

type Schema = Record<string, unknown>

export interface Description {
  readonly descriptor: Descriptor
  /** As in the descriptor. */
  readonly outputSchema: Schema | undefined
  /** What a person should know about the definition. */
  readonly notes: readonly string[]
}

/** The descriptor of an aggregate, from its definition and what is known of its members. */
export function describeAggregate(plan: AggregatePlan, describeMember: DescribeMember): Description {
  const { aggregation } = plan
  const stateOf = new Map(aggregation.state?.operations.map((operation) => [operation.value, operation]))
  const members = aggregation.operations.map((operation) => {
    const reference = { server: operation.downstreamServer, tool: operation.downstreamTool }
    const state = stateOf.get(operation.value)
    const isCalled = state?.mode !== 'state_only'
    return {
      operation,
      state,
      label: isCalled ? memberLabel(reference) : `operation '${operation.value}'`,
      descriptor: isCalled ? describeMember(reference) : undefined,
      effects: isCalled ? withMemory(effectsOf(describeMember(reference)), state) : memoryEffects(state),
    }
  })
  const { annotations, notes } = deriveAnnotations(members, aggregation.annotations)
  const output = honestOutputSchema(
    aggregation.outputSchema,
    members.map(({ operation, state, descriptor }) => ({
      label: `operation '${operation.value}'`,
      keys: answerKeys(operation, state, descriptor),
    })),
  )
  return {
    descriptor: {
      name: aggregation.name,
      ...(aggregation.title === undefined ? {} : { title: aggregation.title }),
      description: describeOperations(aggregation),
      inputSchema: withSelector(plan),
      ...(output.schema === undefined ? {} : { outputSchema: output.schema }),
      annotations,
    },
    outputSchema: output.schema,
    notes: [...notes, ...output.notes, ...selectorNotes(plan), ...stateNotes(aggregation)],
  }
}

function answerKeys(operation: Operation, state: StateOperation | undefined, member: Descriptor | undefined) {
  if (state?.mode === 'state_only') {
    return state.response === undefined ? undefined : [state.response.structuredField ?? 'result']
  }
  const rules = operation.responseMappings ?? []
  return rules.length > 0 ? mappedKeys(rules) : promisedKeys(member)
}

function memoryEffects(state: StateOperation | undefined): Effects {
  const mutations = state?.mutations ?? []
  const isIdempotent = mutations.every((each) => each.action === 'set' && each.relativeToCurrent !== true)
  return {
    readOnlyHint: mutations.length === 0,
    destructiveHint: false,
    idempotentHint: isIdempotent,
    openWorldHint: false,
  }
}

function withMemory(effects: Effects, state: StateOperation | undefined): Effects {
  const memory = memoryEffects(state)
  return {
    ...effects,
    readOnlyHint: effects.readOnlyHint && memory.readOnlyHint,
    idempotentHint: effects.idempotentHint && memory.idempotentHint,
  }
}

/** Tells the model what each operation is for and needs, in a line each, unless the author has done so. */
function describeOperations({ description, operations }: Aggregation): string {
  const lines = operations.flatMap((operation) => {
    const gist = firstLine(operation.description ?? '')
    return gist === '' || description.includes(gist) ? [] : [`- ${operation.value}${needsOf(operation)}: ${gist}`]
  })
  return lines.length === 0 ? description : `${description}\n\nOperations:\n${lines.join('\n')}`
}

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0]!.trim()
  return line.length > 200 ? `${line.slice(0, 199)}…` : line
}

function needsOf({ argumentMappings, requireAnyOf }: Operation): string {
  const required = (argumentMappings ?? [])
    .filter((rule) => rule.required === true && !hasLiteral(rule) && (rule.default ?? null) === null)
    .map(sourceField)
  const needs = [...required, ...(requireAnyOf ?? []).map((group) => group.join('|'))]
  return needs.length === 0 ? '' : ` (${needs.join(', ')})`
}

function withSelector({ aggregation, selectorField }: AggregatePlan): Schema {
  const values = aggregation.operations.map(({ value }) => value)
  return addSelector(aggregation.inputSchema, splitPath(selectorField), values)
}

function addSelector(schema: Schema, [first, ...others]: string[], values: string[]): Schema {
  if (first === undefined) return hasChoices(schema) ? schema : { type: 'string', ...schema, enum: values }
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const found = Object.hasOwn(properties, first) ? properties[first] : undefined
  const inner = isObject(found) ? found : others.length === 0 ? { description: 'What to do.' } : {}
  const required = requiredKeys(schema)
  // A single operation is taken without being named.
  const isRequired = values.length > 1 && !required.includes(first)
  return {
    ...schema,
    type: 'object',
    properties: { ...properties, [first]: addSelector(inner, others, values) },
    ...(isRequired ? { required: [first, ...required] } : {}),
  }
}

function hasChoices(schema: Schema): boolean {
  return ['enum', 'const', 'oneOf', 'anyOf', '$ref'].some((key) => schema[key] !== undefined)
}

function selectorNotes({ aggregation, selectorField, isCaseSensitive }: AggregatePlan): string[] {
  const names = aggregation.operations.flatMap(({ value, aliases }) => [value, ...(aliases ?? [])])
  const keys = names.map((name) => (isCaseSensitive ? name : name.toLowerCase()))
  const twice = names.filter((_, index) => keys.indexOf(keys[index]!) !== index)
  let schema: unknown = aggregation.inputSchema
  for (const part of splitPath(selectorField)) {
    const properties = isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {}
    schema = Object.hasOwn(properties, part) ? properties[part] : undefined
  }
  const listed: unknown[] = isObject(schema) && Array.isArray(schema['enum']) ? schema['enum'] : names
  const strangers = listed.filter((each) => !keys.includes(isCaseSensitive ? String(each) : String(each).toLowerCase()))
  return [
    ...(twice.length > 0 ? [`Two operations answer to ${quoteNames(twice)}; the first is taken.`] : []),
    ...(strangers.length > 0
      ? [`The inputSchema offers ${quoteNames(strangers.map(String))}, which no operation answers to.`]
      : []),
  ]
}

function stateNotes({ operations, state }: Aggregation): string[] {
  const known = new Set(operations.map(({ value }) => value))
  return (state?.operations ?? []).flatMap(({ value, mode, response }) => {
    if (!known.has(value)) return [`Its state speaks of operation '${value}', which there is not.`]
    const isIdle = response !== undefined && mode !== 'state_only'
    return isIdle ? [`The state response of operation '${value}' is used in mode state_only alone.`] : []
  })
}

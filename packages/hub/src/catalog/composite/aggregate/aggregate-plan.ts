import type { Aggregation, CompositeDefaults, Operation } from '@herma/contract'
import { isObject } from '../../../wire/index.ts'
import type { Arguments, ToolReference } from '../../core/own-tool.ts'
import { decodeArguments } from '../value/decode-json-text.ts'
import { hasLiteral, mapValues, sourceField } from '../value/map-values.ts'
import { memberLabel, quoteNames, type DescribeMember } from '../member.ts'
import { rankByLikeness } from '../rank-by-likeness.ts'
import { omitPath, readPath, splitPath } from '../value/value-path.ts'

/** What an aggregate does with a call, up to the call of the member. No I/O. */
export interface AggregatePlan {
  readonly name: string
  readonly selectorField: string
  readonly isCaseSensitive: boolean
  readonly aggregation: Aggregation
  readonly timeoutSeconds: number | undefined
}

export interface PlanProblem {
  /** What is wrong, for the model to read. */
  readonly problem: string
}

export interface MemberCall {
  readonly reference: ToolReference
  readonly arguments: Arguments
  readonly timeoutMs: number | undefined
}

export function planAggregate(aggregation: Aggregation, defaults: CompositeDefaults = {}): AggregatePlan {
  const { selector } = aggregation
  return {
    name: aggregation.name,
    selectorField: selector?.field ?? defaults.selectorField ?? 'operation',
    isCaseSensitive: !(selector?.caseInsensitive ?? defaults.caseInsensitiveSelector ?? true),
    aggregation,
    timeoutSeconds: aggregation.timeoutSeconds ?? defaults.timeoutSeconds,
  }
}

/** The operation that is meant, and the arguments with JSON in text decoded. */
export function chooseOperation(
  plan: AggregatePlan,
  args: Arguments,
): { readonly operation: Operation; readonly given: Arguments } | PlanProblem {
  const { operations, inputSchema } = plan.aggregation
  const given = decodeArguments(args, inputSchema)
  const word = readPath(given, plan.selectorField)
  if (word === undefined || word === null || word === '') {
    const only = operations.length === 1 ? operations[0] : undefined
    if (only !== undefined) return { operation: only, given }
    const choices = quoteNames(operations.map(({ value }) => value))
    return {
      problem: `'${plan.name}' needs the argument '${plan.selectorField}', which says what to do. Choose one of: ${choices}.`,
    }
  }
  const operation = typeof word === 'string' ? findOperation(plan, word) : undefined
  return operation === undefined ? { problem: unknownOperation(plan, word) } : { operation, given }
}

/** The call of the member, or what is missing for it. */
export function planCall(
  plan: AggregatePlan,
  operation: Operation,
  { given, describeMember }: { given: Arguments; describeMember: DescribeMember },
): MemberCall | PlanProblem {
  const { value, missing } = mapValues(operation.argumentMappings, given)
  const needed = [...describeNeeded(missing), ...unmetGroups(operation, given)]
  if (needed.length > 0) {
    const keys = Object.keys(given).filter((key) => (given[key] ?? null) !== null)
    return {
      problem:
        `Operation '${operation.value}' of '${plan.name}' needs ${needed.join(' and ')}. ` +
        `Given: ${keys.length === 0 ? 'nothing' : quoteNames(keys)}.`,
    }
  }
  const reference = { server: operation.downstreamServer, tool: operation.downstreamTool }
  if (!isObject(value)) {
    return {
      problem:
        `The arguments that operation '${operation.value}' of '${plan.name}' makes for ${memberLabel(reference)} ` +
        `are no object. Give an object for '${wholeSource(operation)}'.`,
    }
  }
  const seconds = operation.timeoutSeconds ?? plan.timeoutSeconds
  return {
    reference,
    arguments: hasMappings(operation) ? value : withoutSelector(plan, value, describeMember(reference)),
    timeoutMs: seconds === undefined ? undefined : seconds * 1000,
  }
}

function findOperation({ aggregation, isCaseSensitive }: AggregatePlan, word: string): Operation | undefined {
  const names = (operation: Operation) => [operation.value, ...(operation.aliases ?? [])]
  const exact = aggregation.operations.find((operation) => names(operation).includes(word))
  if (exact !== undefined || isCaseSensitive) return exact
  const lower = word.toLowerCase()
  return aggregation.operations.find((operation) => names(operation).some((name) => name.toLowerCase() === lower))
}

function unknownOperation(plan: AggregatePlan, word: unknown): string {
  const text = typeof word === 'string' ? word : (JSON.stringify(word) ?? '')
  const ranked = rankByLikeness(
    text,
    plan.aggregation.operations.map(({ value }) => value),
  )
  return `'${plan.name}' has no operation ${quoteNames([text])}. Choose one of, the nearest first: ${quoteNames(ranked)}.`
}

function describeNeeded(missing: readonly string[]): string[] {
  if (missing.length === 0) return []
  return [`the argument${missing.length === 1 ? '' : 's'} ${quoteNames([...new Set(missing)])}`]
}

function unmetGroups(operation: Operation, given: Arguments): string[] {
  return (operation.requireAnyOf ?? [])
    .filter((group) => group.every((path) => (readPath(given, path) ?? '') === ''))
    .map((group) => `at least one of ${quoteNames(group)}`)
}

function hasMappings(operation: Operation): boolean {
  return (operation.argumentMappings?.length ?? 0) > 0
}

function wholeSource(operation: Operation): string {
  const rule = operation.argumentMappings?.findLast((each) => splitPath(each.target).length === 0 && !hasLiteral(each))
  return rule === undefined ? '$' : sourceField(rule)
}

// The selector is the aggregate's own argument; a strict member would refuse the call for it.
function withoutSelector(
  { selectorField }: AggregatePlan,
  args: Arguments,
  member: Readonly<Record<string, unknown>> | undefined,
): Arguments {
  const properties = isObject(member?.['inputSchema']) ? member['inputSchema']['properties'] : undefined
  const isItsOwn = isObject(properties) && Object.hasOwn(properties, splitPath(selectorField)[0] ?? '')
  return isItsOwn ? args : omitPath(args, selectorField)
}

import type { z } from 'zod'
import { branchesOf, bestBranch, knownKeys, schemaAt } from './known-keys.ts'
import { type JsonPath, valueAt } from '../json/json-path.ts'
import { didYouMean } from './nearest-name.ts'

/** Something wrong at a place of a document. */
export interface FragmentProblem {
  readonly path: JsonPath
  readonly message: string
  /** Whether the key is at fault or the value. */
  readonly at: 'key' | 'value'
}

type Schema = z.core.$ZodType
type Issue = z.core.$ZodIssue

/** Says in words of people what a schema found. Values are never quoted: they may be secrets. */
export function explainIssue(issue: Issue, schema: Schema, root: unknown): FragmentProblem[] {
  return explain(issue, { schema, root, base: [] })
}

interface Scope {
  /** The schema at `base`. */
  readonly schema: Schema
  readonly root: unknown
  readonly base: JsonPath
}

function explain(issue: Issue, scope: Scope): FragmentProblem[] {
  const path = [...scope.base, ...(issue.path as JsonPath)]
  const value = valueAt(scope.root, path)
  const valueProblem = (message: string): FragmentProblem[] => [{ path, message, at: 'value' }]
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = knownKeys(schemaAt(scope.schema, issue.path as JsonPath, valueAt(scope.root, scope.base)))
      return issue.keys.map((key) => ({ path: [...path, key], message: unknownKey(key, known), at: 'key' }))
    }
    case 'invalid_union':
      return explainUnion(issue, path, scope)
    case 'invalid_key':
      return [{ path, message: 'This key is not allowed: it must not be empty.', at: 'key' }]
    case 'invalid_type':
      if (value === undefined)
        return valueProblem(`'${String(path.at(-1))}' is missing. It must be ${nounOf(issue.expected)}.`)
      return valueProblem(`It must be ${nounOf(issue.expected)}, not ${nounOf(typeOf(value))}.`)
    case 'invalid_value':
      if (value === undefined)
        return valueProblem(`'${String(path.at(-1))}' is missing. It must be ${listValues(issue.values)}.`)
      return valueProblem(`It must be ${listValues(issue.values)}.${nearestValue(value, issue.values)}`)
    case 'too_small':
      return valueProblem(tooSmall(issue))
    case 'too_big':
      return valueProblem(`${measureOf(issue.origin, 'at most', issue.maximum)}.`)
    default:
      // Patterns carry the words of the contract.
      return valueProblem(issue.message)
  }
}

function explainUnion(issue: Issue & { code: 'invalid_union' }, path: JsonPath, scope: Scope): FragmentProblem[] {
  const discriminator = 'discriminator' in issue ? issue.discriminator : undefined
  if (discriminator !== undefined && issue.errors.length === 0) {
    // The issue is at the discriminator itself.
    const at = path.at(-1) === discriminator ? path : [...path, discriminator]
    const values = ('options' in issue && issue.options) || []
    return [{ path: at, message: `'${discriminator}' must be ${listValues(values)}.`, at: 'value' }]
  }
  const relative = path.slice(scope.base.length)
  const value = valueAt(scope.root, path)
  const owner = ownerAt(scope, relative)
  const branches = branchesOf(owner)
  const best = owner && bestBranch(owner, value)
  const index = Math.max(
    0,
    branches.findIndex((branch) => bestBranch(branch, value) === best),
  )
  const issues = issue.errors[index] ?? []
  if (best === undefined || issues.length === 0)
    return [{ path, message: 'It has none of the forms that fit here.', at: 'value' }]
  return issues.flatMap((inner) => explain(inner, { schema: best, root: scope.root, base: path }))
}

/** The schema at a path before a branch of it is chosen. */
function ownerAt(scope: Scope, relative: JsonPath): Schema | undefined {
  if (relative.length === 0) return scope.schema
  const parent = schemaAt(scope.schema, relative.slice(0, -1), valueAt(scope.root, scope.base))
  const def = parent?._zod.def as { shape?: Record<string, Schema>; element?: Schema; valueType?: Schema } | undefined
  return def?.shape?.[String(relative.at(-1))] ?? def?.element ?? def?.valueType
}

function unknownKey(key: string, known: readonly string[]): string {
  const near = didYouMean(key, known)
  const others = near === '' && known.length > 0 && known.length <= 12 ? ` Known here: ${known.join(', ')}.` : near
  return `'${key}' is unknown here.${others}`
}

function tooSmall(issue: z.core.$ZodIssueTooSmall): string {
  if (issue.origin === 'string' && issue.minimum === 1) return 'It must not be empty.'
  if (issue.origin === 'array' && issue.minimum === 1) return 'It needs at least one entry.'
  return `${measureOf(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)}.`
}

function measureOf(origin: string, relation: string, limit: number | bigint): string {
  if (origin === 'string') return `It must have ${relation} ${limit} characters`
  if (origin === 'array') return `It must have ${relation} ${limit} entries`
  return `It must be ${relation} ${limit}`
}

function nearestValue(value: unknown, values: readonly unknown[]): string {
  return typeof value === 'string' ? didYouMean(value, values.map(String)) : ''
}

function listValues(values: readonly unknown[]): string {
  const words = values.map((value) => JSON.stringify(value))
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

const nouns: Partial<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
}

function nounOf(type: string): string {
  return nouns[type] ?? type
}

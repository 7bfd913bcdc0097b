import { isDeepStrictEqual } from 'node:util'
import type { Condition } from '@herma/contract'
import { isObject } from '../../../wire/index.ts'
import { renderTemplate, templatePaths, type Find } from './render-template.ts'

type Test = Extract<Condition, { value: unknown }>

/** Whether a condition holds; undefined when that depends on what is not known before the pipeline runs. */
export function checkCondition(condition: Condition, find: Find): boolean | undefined {
  if ('all' in condition) return every(condition.all.map((each) => checkCondition(each, find)))
  if ('any' in condition) {
    const none = every(condition.any.map((each) => negate(checkCondition(each, find))))
    return negate(none)
  }
  if ('not' in condition) return negate(checkCondition(condition.not, find))
  return isKnown(condition, find) ? checkTest(condition, find) : undefined
}

/** Every template of a condition. */
export function conditionTemplates(condition: Condition): unknown[] {
  if ('all' in condition) return condition.all.flatMap(conditionTemplates)
  if ('any' in condition) return condition.any.flatMap(conditionTemplates)
  if ('not' in condition) return conditionTemplates(condition.not)
  const { value, equals, notEquals, contains } = condition
  return [value, equals, notEquals, contains]
}

function checkTest(test: Test, find: Find): boolean {
  const value = renderTemplate(test.value, find)
  const verdicts: boolean[] = []
  if (test.exists !== undefined) verdicts.push((value !== undefined) === test.exists)
  if (test.equals !== undefined) verdicts.push(isDeepStrictEqual(value, renderTemplate(test.equals, find)))
  if (test.notEquals !== undefined) verdicts.push(!isDeepStrictEqual(value, renderTemplate(test.notEquals, find)))
  if (test.contains !== undefined) verdicts.push(holds(value, renderTemplate(test.contains, find)))
  if (test.above !== undefined) verdicts.push(toNumber(value) > test.above)
  if (test.below !== undefined) verdicts.push(toNumber(value) < test.below)
  return verdicts.length === 0 ? isSomething(value) : verdicts.every(Boolean)
}

function isSomething(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return isObject(value) ? Object.keys(value).length > 0 : Boolean(value)
}

function holds(value: unknown, part: unknown): boolean {
  if (typeof value === 'string') return typeof part === 'string' && value.includes(part)
  if (Array.isArray(value)) return value.some((each) => isDeepStrictEqual(each, part))
  return isObject(value) && typeof part === 'string' && Object.hasOwn(value, part)
}

// The text of a tool is often a number; what is no number is neither above nor below anything.
function toNumber(value: unknown): number {
  if (typeof value === 'string' && value.trim() !== '') return Number(value)
  return typeof value === 'number' ? value : Number.NaN
}

function isKnown(test: Test, find: Find): boolean {
  return conditionTemplates(test)
    .flatMap(templatePaths)
    .every((path) => find(path) !== 'unknown')
}

// Something that does not hold decides, however much is not known.
function every(verdicts: readonly (boolean | undefined)[]): boolean | undefined {
  if (verdicts.includes(false)) return false
  return verdicts.includes(undefined) ? undefined : true
}

function negate(verdict: boolean | undefined): boolean | undefined {
  return verdict === undefined ? undefined : !verdict
}

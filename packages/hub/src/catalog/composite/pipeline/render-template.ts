import { HubError } from '@herma/contract'
import { isObject } from '../../../wire/index.ts'
import { readPath } from '../value/value-path.ts'

/** What a path in a template leads to; `unknown` when that is not known before the pipeline runs. */
export type Found = { readonly value: unknown } | 'missing' | 'unknown'
export type Find = (path: string) => Found

const placeholder = /\\?\{\{([^{}]*)\}\}/g
const wholePlaceholder = /^\{\{([^{}]*)\}\}$/
const maxTextLength = 16 * 1024 * 1024

/**
 * Puts values in the place of `{{ path }}` in the strings of any JSON value. A string that is nothing else becomes the
 * value with its type, and is left out when there is none (undefined at the top); inside of a longer text a missing value
 * is an error. `\{{ … }}` stays as it is, without the backslash. Nothing is evaluated: a path is a path.
 */
export function renderTemplate(template: unknown, find: Find): unknown {
  if (typeof template === 'string') return renderText(template, find)
  if (Array.isArray(template)) {
    return template.map((each) => renderTemplate(each, find)).filter((each) => each !== undefined)
  }
  if (!isObject(template)) return template
  const entries = Object.entries(template).map(([key, each]) => [key, renderTemplate(each, find)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/** Every path in the strings of a template. */
export function templatePaths(template: unknown): string[] {
  if (typeof template === 'string') {
    return [...template.matchAll(placeholder)].flatMap(([whole, path]) =>
      whole.startsWith('\\') ? [] : [path!.trim()],
    )
  }
  if (Array.isArray(template)) return template.flatMap(templatePaths)
  return isObject(template) ? Object.values(template).flatMap(templatePaths) : []
}

/** Looks paths up in what is there. */
export function findIn(scope: Readonly<Record<string, unknown>>): Find {
  return (path) => {
    const value = readPath(scope, path)
    return value === undefined ? 'missing' : { value }
  }
}

function renderText(text: string, find: Find): unknown {
  const whole = wholePlaceholder.exec(text.trim())
  if (whole !== null) {
    const found = find(whole[1]!.trim())
    if (found === 'unknown') return text
    return found === 'missing' ? undefined : found.value
  }
  let length = text.length
  return text.replaceAll(placeholder, (match: string, path: string) => {
    if (match.startsWith('\\')) return match.slice(1)
    const found = find(path.trim())
    if (found === 'unknown') return match
    if (found === 'missing') {
      throw new HubError(
        'INVALID_PARAMS',
        `{{ ${path.trim()} }} has no value, and the text around it needs one. Give it, or test it with "when" first.`,
      )
    }
    const value = typeof found.value === 'string' ? found.value : JSON.stringify(found.value)
    length += value.length
    if (length <= maxTextLength) return value
    throw new HubError(
      'INVALID_PARAMS',
      `The text with {{ ${path.trim()} }} is longer than ${maxTextLength} characters.`,
    )
  })
}

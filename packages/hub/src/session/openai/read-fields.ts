import { HubError } from '@herma/contract'
import type { z } from 'zod'

type Issue = z.core.$ZodIssue

/** Reads a body, or what stands `at` a place of it. Throws with the field that is wrong, as clients of OpenAI expect. */
export function readFields<T extends z.ZodType>(schema: T, body: unknown, at = ''): z.output<T> {
  const read = schema.safeParse(body)
  if (read.success) return read.data
  const { path, message } = innermost(read.error.issues[0]!)
  throw wrongField(nameOf(path, at), message)
}

/** A field that cannot be used as it is. */
export function wrongField(param: string, text: string): HubError {
  return new HubError('INVALID_PARAMS', param === '' ? text : `${param}: ${text}`, { data: { param } })
}

/** Of a field that may be this or that, the problem of what comes nearest. */
function innermost(issue: Issue): Pick<Issue, 'path' | 'message'> {
  const inner = issue.code === 'invalid_union' ? issue.errors.flat() : []
  const [nearest] = inner.toSorted((a, b) => b.path.length - a.path.length)
  if (nearest === undefined || nearest.path.length === 0) return issue
  const { path, message } = innermost(nearest)
  return { path: [...issue.path, ...path], message }
}

/** `messages[2].content` */
function nameOf(path: readonly PropertyKey[], at: string): string {
  return path.reduce<string>(
    (name, key) => (typeof key === 'number' ? `${name}[${key}]` : `${name}${name === '' ? '' : '.'}${String(key)}`),
    at,
  )
}

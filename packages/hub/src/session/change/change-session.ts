import { isDeepStrictEqual } from 'node:util'
import { HubError, SessionInput, SessionPatch, type Session } from '@herma/contract'
import type { z } from 'zod'

/** A new session from what a person or program sent. */
export function readSession(input: SessionInput): Session {
  return parse(SessionInput, input)
}

/** The session as it is after a change. What holds several settings keeps those that are not mentioned. */
export function changeSession(before: Session, given: SessionPatch): Session {
  const patch = parse(SessionPatch, given)
  const fields = Object.entries(SessionInput.shape).map(([field]) => {
    const [old, now] = [before[field as keyof Session], patch[field as keyof SessionPatch]]
    if (now === undefined) return [field, old]
    return [field, grouped.has(field) ? merge(old as object, now as object) : now]
  })
  return parse(SessionInput, Object.fromEntries(fields))
}

/** Null takes back a setting that need not be there. */
function merge(old: object, now: object): object {
  const merged = Object.entries({ ...old, ...now })
  return Object.fromEntries(merged.filter(([name, value]) => value !== null || name !== 'denied'))
}

const grouped: ReadonlySet<string> = new Set(['tools', 'limits', 'paths'])

/** The fields that differ, as they were and as they are. Instructions are long, so they are only named. */
export function describeSessionChange(before: Session, after: Session): Record<string, unknown> {
  const fields = Object.keys(SessionInput.shape) as (keyof Session)[]
  const changed = fields.filter((field) => !isDeepStrictEqual(before[field], after[field]))
  const shown = changed.filter((field) => field !== 'instructions')
  const pick = (session: Session) => Object.fromEntries(shown.map((field) => [field, session[field]]))
  return { fields: changed, before: pick(before), after: pick(after) }
}

function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const first = result.error.issues[0]!
  throw new HubError('SESSION_INVALID', `${first.path.join('.') || 'session'}: ${first.message}`, {
    cause: result.error,
  })
}

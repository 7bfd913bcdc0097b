import { BindingInput, BindingPatch, HubError, type NamedValue } from '@herma/contract'
import type { z } from 'zod'
import type { Overrides } from './store.ts'

/** Guesses from a name whether its value is a secret. */
type IsSecretName = (name: string) => boolean

/** The overrides that somebody sent for a place; `before` are those that it has. */
export function readOverrides(input: BindingInput, before: Overrides | undefined, isSecret: IsSecretName): Overrides {
  const { session: _, connector: __, ...given } = parse(BindingInput, input)
  return keepStored(given, before, isSecret)
}

/** The overrides as they are after a change. */
export function changeOverrides(before: Overrides, given: BindingPatch, isSecret: IsSecretName): Overrides {
  const patch = parse(BindingPatch, given)
  const said = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
  const { enabled, headers, env, options, cwd, allowedTools } = before
  return keepStored({ enabled, headers, env, options, cwd, allowedTools, ...said }, before, isSecret)
}

function keepStored(after: Overrides, before: Overrides | undefined, isSecret: IsSecretName): Overrides {
  const keep = (place: 'headers' | 'env') => {
    const known = new Map(before?.[place].map((each) => [each.name.toLowerCase(), each]))
    return after[place].map((entry): NamedValue => {
      const stored = entry.value === undefined ? known.get(entry.name.toLowerCase()) : undefined
      // A stored secret stays one: otherwise it could be read by declaring it open.
      const secret = stored?.secret === true || (entry.secret ?? isSecret(entry.name))
      return { ...entry, value: entry.value ?? stored?.value, secret }
    })
  }
  return { ...after, headers: keep('headers'), env: keep('env') }
}

function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const first = result.error.issues[0]!
  throw new HubError('BINDING_INVALID', `${first.path.join('.') || 'binding'}: ${first.message}`, {
    cause: result.error,
  })
}

import { ConnectorInput, type ConnectorPatch } from '@herma/contract'
import { z } from 'zod'
import { toNamedValues } from '../../../ui/list-editor/value-row.ts'
import { toIsolation } from './isolation-draft.ts'
import { isLeftOpen } from '../../is-left-open.ts'
import type { ConnectorDraft, OAuthDraft } from './connector-draft.ts'
import { type OptionName, readOption } from './option-fields.ts'

/** Stands for a secret that is stored when a draft is checked; it is never sent. */
const storedSecret = '(stored)'

/** What is sent to create a connector, or to test one that is not stored. */
export function toInput(draft: ConnectorDraft): Record<string, unknown> {
  const { name, description, kind, enabled, transport, notes } = draft
  const options = Object.entries(draft.options).flatMap(([option, text]) => {
    const value = readOption(option as OptionName, text)
    return value === undefined ? [] : [[option, value]]
  })
  return {
    name: name.trim(),
    description,
    kind,
    enabled,
    transport,
    notes,
    ...(transport === 'stdio' ? stdioFields(draft) : httpFields(draft)),
    options: Object.fromEntries(options) as Record<string, unknown>,
  }
}

function stdioFields({ cmd, args, env, workingDir, isolation }: ConnectorDraft) {
  return {
    cmd: cmd.trim() || undefined,
    args,
    env: toNamedValues(env),
    workingDir: workingDir.trim() || undefined,
    isolation: toIsolation(isolation),
  }
}

function httpFields({ baseUrl, endpointPath, headers, oauth }: ConnectorDraft) {
  return {
    baseUrl: baseUrl.trim() || undefined,
    endpointPath: endpointPath.trim() || undefined,
    headers: toNamedValues(headers),
    ...(oauth.isOn && { oauth: oauthFields(oauth) }),
  }
}

function oauthFields({ grant, clientId, clientSecret, clientMetadataUrl, scope, privateKey, algorithm }: OAuthDraft) {
  return {
    grant,
    clientId: clientId.trim() || undefined,
    clientSecret: clientSecret || undefined,
    clientMetadataUrl: clientMetadataUrl.trim() || undefined,
    scope: scope.trim() || undefined,
    privateKey: privateKey || undefined,
    algorithm: algorithm || undefined,
  }
}

/** The same as the schema checks it: a stored secret counts as given. */
export function toChecked(draft: ConnectorDraft): Record<string, unknown> {
  const input = toInput(draft)
  const { oauth } = draft
  if (input['oauth'] === undefined) return input
  const secrets = {
    ...(oauth.hasClientSecret && oauth.clientSecret === undefined && { clientSecret: storedSecret }),
    ...(oauth.hasPrivateKey && oauth.privateKey === undefined && { privateKey: storedSecret }),
  }
  return { ...input, oauth: { ...(input['oauth'] as object), ...secrets } }
}

/** What the contract's schema says, and what a person most likely forgot; both at once. */
export const CheckedInput = z.unknown().check((context) => {
  const input = context.value as Forgettable
  const { error } = ConnectorInput.safeParse(input)
  for (const { path, message } of [...(error?.issues ?? []), ...findForgotten(input)])
    context.issues.push({ code: 'custom', input: undefined, path: [...path], message })
})

type Forgettable = Pick<ConnectorInput, 'args' | 'headers' | 'env'>

/** A secret without a value, a variable that is there already, and `<folder>` as documents write it. */
function findForgotten({ args = [], headers = [], env = [] }: Forgettable) {
  const blanks = args.flatMap((word, index) =>
    isLeftOpen(word) ? [{ path: ['args', index], message: `Put a value in place of ${word}.` }] : [],
  )
  const values = Object.entries({ headers, env }).flatMap(([list, rows]) =>
    rows.flatMap(({ name, value, secret }, index) => {
      const isTwice = list === 'env' && name !== '' && rows.findIndex((each) => each.name === name) < index
      return [
        ...(isTwice ? [{ path: [list, index, 'name'], message: `'${name}' is there already.` }] : []),
        ...(secret === true && value === ''
          ? [{ path: [list, index, 'value'], message: `Type the value of ${name || 'it'}.` }]
          : []),
      ]
    }),
  )
  return [...blanks, ...values]
}

/** What is sent to change a stored connector: only what is different, and no secret that stays. */
export function toChanges(draft: ConnectorDraft, saved: ConnectorDraft): ConnectorPatch {
  const [before, after] = [toInput(saved), toInput(draft)]
  const fields = new Set([...Object.keys(before), ...Object.keys(after)])
  const changes = [...fields].flatMap((field) => {
    const [was, is] = [before[field], after[field]]
    if (JSON.stringify(was) === JSON.stringify(is)) return []
    if (field === 'oauth') return [[field, is === undefined ? null : changedOAuth(was, is as object)]]
    if (field === 'options') return [[field, changedOptions(was as object, is as object, draft.name)]]
    return [[field, is ?? (Array.isArray(was) ? [] : null)]]
  })
  return Object.fromEntries(changes) as ConnectorPatch
}

function changedOAuth(was: unknown, is: object): Record<string, unknown> {
  const before = (was ?? {}) as Record<string, unknown>
  const after = is as Record<string, unknown>
  const names = Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name])
  return Object.fromEntries(names.map((name) => [name, after[name] ?? null]))
}

function changedOptions(was: object, is: object, name: string): Record<string, unknown> {
  const before = was as Record<string, unknown>
  const entries = Object.entries(is).filter(([option, value]) => before[option] !== value)
  // An option cannot be taken back to absent; the name itself as prefix does the same.
  if ('prefix' in before && !('prefix' in is)) entries.push(['prefix', name])
  return Object.fromEntries(entries)
}

import type { Binding, BindingInput, BindingView, NamedValue } from '@herma/contract'
import { readOption, type OptionName } from '../connector/form/draft/option-fields.ts'
import { toNamedValues, toValueRow, type ValueRow } from '../ui/list-editor/value-row.ts'

/** The options that one session can have otherwise; the others hold for everybody. */
export const linkOptions = [
  'requestTimeoutMs',
  'maxRequestMs',
  'handshakeTimeoutMs',
  'installTimeoutMs',
  'idleTimeoutMs',
  'maxConcurrency',
  'maxMessageBytes',
  'maxRestarts',
  'isolation',
  'era',
] as const satisfies readonly OptionName[]
export type LinkOption = (typeof linkOptions)[number]

/** What differs for one session, while it is edited. */
export interface BindingDraft {
  readonly enabled: boolean
  readonly headers: readonly ValueRow[]
  readonly env: readonly ValueRow[]
  /** Numbers as they are typed. */
  readonly options: Readonly<Partial<Record<LinkOption, string>>>
  readonly cwd: string
  /** Null = all. */
  readonly allowedTools: readonly string[] | null
}

export function toDraft(view: BindingView | undefined): BindingDraft {
  if (view === undefined) return { enabled: true, headers: [], env: [], options: {}, cwd: '', allowedTools: null }
  return {
    enabled: view.enabled,
    headers: view.headers.map(toValueRow),
    env: view.env.map(toValueRow),
    options: Object.fromEntries(Object.entries(view.options).map(([name, value]) => [name, String(value)])),
    cwd: view.cwd ?? '',
    allowedTools: view.allowedTools,
  }
}

/** What is sent for a draft at a place. */
export function toInput(place: Pick<BindingInput, 'session' | 'connector'>, draft: BindingDraft): BindingInput {
  const options = Object.entries(draft.options).map(([name, text]) => [name, readOption(name as LinkOption, text)])
  return {
    ...place,
    enabled: draft.enabled,
    headers: toNamedValues(draft.headers),
    env: toNamedValues(draft.env),
    options: Object.fromEntries(options) as NonNullable<BindingInput['options']>,
    cwd: draft.cwd.trim() === '' ? null : draft.cwd.trim(),
    allowedTools: draft.allowedTools === null ? null : [...draft.allowedTools],
  }
}

/** The same for what is shown before it is saved: unnamed rows are left out. */
export function toOverrides(draft: BindingDraft): Omit<Binding, 'session' | 'connector'> {
  const { headers = [], env = [], ...rest } = toInput({ session: 's', connector: 'c' }, draft)
  const named = (values: readonly NamedValue[]) => values.filter(({ name }) => name !== '')
  const { options = {}, cwd = null, allowedTools = null } = rest
  return {
    enabled: draft.enabled,
    headers: named(headers),
    env: named(env),
    // What is no number yet is not in effect.
    options: Object.fromEntries(Object.entries(options).filter(isKnown)),
    cwd,
    allowedTools,
  }
}

function isKnown([name, value]: [string, unknown]): boolean {
  return name === 'era' || name === 'isolation' ? typeof value === 'string' : typeof value === 'number'
}

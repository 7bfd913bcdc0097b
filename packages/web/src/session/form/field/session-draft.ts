import {
  secretNamesIn,
  SessionInput,
  type Ability,
  type AgentCommand,
  type ProviderKind,
  type RouteRule,
  type Session,
  type SessionLimits,
  type SessionPatch,
  type SessionView,
  type ToolPolicy,
} from '@herma/contract'
import { type ValueRow } from '../../../ui/list-editor/value-row.ts'
import { providerKinds } from '../../provider-kinds.ts'

export interface RouteDraft {
  readonly abilities: RouteRule['abilities']
  readonly contains: readonly string[]
  readonly isTool: boolean
  readonly connector: string
  readonly tool: string
  /** JSON. */
  readonly arguments: string
}

/** A session while it is edited: what can be empty is a text. */
export interface SessionDraft {
  readonly name: string
  readonly description: string
  readonly enabled: boolean
  readonly provider: ProviderKind
  readonly model: string
  readonly baseUrl: string
  readonly api: Session['api']
  /** Empty = the usual one, or none. */
  readonly keySecret: string
  /** The value of the key when it is entered here. It is stored as a secret and is no part of the session. */
  readonly key: string | undefined
  readonly instructions: string
  readonly temperature: string
  readonly workingDir: string
  readonly roots: readonly string[]
  /** Null = the usual secrets. */
  readonly denied: readonly string[] | null
  readonly allowHardLinks: boolean
  readonly abilities: readonly Ability[] | null
  readonly tools: ToolPolicy
  readonly limits: { readonly [Name in Exclude<keyof SessionLimits, 'maxCostUsd'>]: number | null }
  readonly maxCostUsd: string
  readonly prices: { readonly input: string; readonly output: string; readonly cached: string }
  readonly dialect: AgentCommand['dialect']
  readonly cmd: string
  readonly args: readonly string[]
  readonly env: readonly ValueRow[]
  readonly routes: readonly RouteDraft[]
}

export function toDraft(session: SessionView | null, provider: ProviderKind = 'openai'): SessionDraft {
  const stored = SessionInput.parse(pickInput(session) ?? { name: 'new', provider })
  const { pricing, command, paths, limits } = stored
  const { maxCostUsd, ...otherLimits } = limits
  return {
    ...stored,
    name: session?.name ?? '',
    baseUrl: stored.baseUrl ?? '',
    keySecret: stored.keySecret ?? '',
    key: undefined,
    temperature: toText(stored.temperature),
    workingDir: stored.workingDir ?? '',
    roots: paths.roots,
    denied: paths.denied ?? null,
    allowHardLinks: paths.allowHardLinks ?? false,
    limits: otherLimits,
    maxCostUsd: toText(maxCostUsd),
    prices: {
      input: toText(pricing?.inputPerMillion),
      output: toText(pricing?.outputPerMillion),
      cached: toText(pricing?.cachedInputPerMillion),
    },
    dialect: command?.dialect ?? 'codex',
    cmd: command?.cmd ?? '',
    args: command?.args ?? [],
    env: Object.entries(command?.env ?? {}).map(([name, value]) => ({ name, value, secret: false })),
    routes: stored.routes.map(toRouteDraft),
  }
}

/** What is sent for a draft. Fields that its provider has no use for are left as nothing. */
export function toInput(draft: SessionDraft): SessionInput {
  const { has } = providerKinds[draft.provider]
  const { maxCostUsd, prices } = draft
  const hasPrices = Object.values(prices).some((price) => price.trim() !== '')
  return {
    name: draft.name.trim(),
    description: draft.description,
    enabled: draft.enabled,
    provider: draft.provider,
    model: has.has('model') ? draft.model.trim() : '',
    baseUrl: has.has('baseUrl') ? emptyToNull(draft.baseUrl) : null,
    api: draft.api,
    keySecret: has.has('key') ? emptyToNull(draft.keySecret) : null,
    instructions: draft.instructions,
    temperature: has.has('temperature') ? toNumber(draft.temperature) : null,
    workingDir: emptyToNull(draft.workingDir),
    paths: {
      roots: [...draft.roots],
      ...(draft.denied !== null && { denied: [...draft.denied] }),
      ...(draft.allowHardLinks && { allowHardLinks: true }),
    },
    abilities: draft.abilities === null ? null : [...draft.abilities],
    tools: draft.tools,
    // The schema says which number is missing.
    limits: { ...(draft.limits as SessionLimits), maxCostUsd: toNumber(maxCostUsd) },
    pricing: hasPrices
      ? {
          inputPerMillion: toNumber(prices.input) ?? Number.NaN,
          outputPerMillion: toNumber(prices.output) ?? Number.NaN,
          ...(prices.cached.trim() !== '' && { cachedInputPerMillion: toNumber(prices.cached) ?? Number.NaN }),
        }
      : null,
    command: draft.provider === 'command' ? toCommand(draft) : null,
    routes: draft.routes.map(toRouteRule),
  }
}

/** The fields that differ from what is stored; a setting that was taken back is null. */
export function toPatch(now: SessionInput, before: SessionInput): SessionPatch {
  const fields = Object.keys(now) as (keyof SessionInput)[]
  const changed = fields.filter((field) => JSON.stringify(now[field]) !== JSON.stringify(before[field]))
  const patch = Object.fromEntries(changed.map((field) => [field, now[field]])) as SessionPatch
  if (patch.paths === undefined) return patch
  const { roots = [], denied = null, allowHardLinks = false } = now.paths ?? {}
  return { ...patch, paths: { roots, denied, allowHardLinks } }
}

/** The secrets that were entered in the form: the key of the provider, and variables of its command. */
export function secretsToStore(draft: SessionDraft): { name: string; value: string }[] {
  const keyName = draft.keySecret || providerKinds[draft.provider].usualKey
  const hasKey = providerKinds[draft.provider].has.has('key') && keyName !== undefined
  return [
    ...(hasKey && draft.key !== undefined && draft.key !== '' ? [{ name: keyName, value: draft.key.trim() }] : []),
    ...(draft.provider === 'command'
      ? draft.env.filter(isFreshSecret).map(({ name, value = '' }) => ({ name: name.trim(), value }))
      : []),
  ]
}

/** A secret is stored under the name of its variable, which then refers to it. */
function isFreshSecret({ secret, value = '', name }: ValueRow): boolean {
  return secret && value !== '' && name.trim() !== '' && secretNamesIn(value).length === 0
}

function toCommand({ dialect, cmd, args, env }: SessionDraft): AgentCommand {
  const variables = env
    .filter(({ name, value }) => name.trim() !== '' || (value ?? '') !== '')
    .map((row) => [row.name.trim(), isFreshSecret(row) ? `{secret:${row.name.trim()}}` : (row.value ?? '')] as const)
  return {
    dialect,
    ...(cmd.trim() !== '' && { cmd: cmd.trim() }),
    ...(args.length > 0 && { args: [...args] }),
    env: Object.fromEntries(variables),
  }
}

function toRouteDraft({ abilities, contains, use }: RouteRule): RouteDraft {
  const place = use === 'model' ? { connector: '', tool: '', arguments: {} } : use
  return {
    abilities,
    contains,
    isTool: use !== 'model',
    connector: place.connector,
    tool: place.tool,
    arguments: JSON.stringify(place.arguments, null, 2),
  }
}

function toRouteRule(draft: RouteDraft): RouteRule {
  const { abilities, contains, isTool, connector, tool } = draft
  const use = isTool ? { connector, tool, arguments: readJson(draft.arguments) } : 'model'
  return { abilities, contains: [...contains], use: use as RouteRule['use'] }
}

/** What is no JSON stays a text, which the schema refuses. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text.trim() || '{}')
  } catch {
    return text
  }
}

function pickInput(session: SessionView | null): SessionInput | null {
  if (session === null) return null
  const fields = Object.keys(SessionInput.shape) as (keyof SessionInput)[]
  return Object.fromEntries(fields.map((field) => [field, session[field]])) as unknown as SessionInput
}

function emptyToNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim()
}

/** What is no number becomes one that no schema takes. */
function toNumber(text: string): number | null {
  return text.trim() === '' ? null : Number(text)
}

function toText(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : String(value)
}

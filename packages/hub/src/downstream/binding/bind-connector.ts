import type { Connector, ConnectorOptions, NamedValue } from '@herma/contract'
import { serverUrl, tokensFor, type TokenValues } from '../link/link-settings.ts'

/** What differs of a connector for one session. */
export interface BoundOverrides {
  readonly headers: readonly NamedValue[]
  readonly env: readonly NamedValue[]
  readonly options: Partial<ConnectorOptions>
  /** Null = as the connector has it. */
  readonly cwd: string | null
}

/** The connector as it is for one session. */
export function bindConnector(connector: Connector, overrides: BoundOverrides): Connector {
  const { headers, env, options, cwd } = overrides
  return {
    ...connector,
    headers: override(connector.headers, headers, (name) => name.toLowerCase()),
    env: override(connector.env, env, (name) => name),
    // It starts when the session first needs it.
    options: { ...connector.options, ...options, start: 'use' },
    workingDir: cwd ?? connector.workingDir,
  }
}

function override(before: readonly NamedValue[], by: readonly NamedValue[], key: (name: string) => string) {
  const replaced = new Set(by.map(({ name }) => key(name)))
  return [...before.filter(({ name }) => !replaced.has(key(name))), ...by]
}

/** Whether a session cannot share the connector's own link: something differs for it, or the connector names it. */
export function needsOwnLink(
  connector: Connector,
  overrides: BoundOverrides,
  session: { readonly workingDir: string | null },
): boolean {
  return (
    isOverridden(overrides) ||
    Object.keys(overrides.options).length > 0 ||
    sessionTokens.some((token) => mentions(connector, token)) ||
    (session.workingDir !== null && mentions(connector, '{cwd}'))
  )
}

/** Whether the server may show something else than it shows everybody. */
export function isOverridden({ headers, env, cwd }: BoundOverrides): boolean {
  return headers.length > 0 || env.length > 0 || cwd !== null
}

/** Tokens that have a value of their own in a session. */
const sessionTokens = ['{session_id}', '{thread_id}', '{server_id}', '{hop_limit}']

/** Whether a token stands anywhere in a connector. */
export function mentions(connector: Connector, token: string): boolean {
  const { headers, env, args, baseUrl, endpointPath, cmd, workingDir } = connector
  const values = [...headers, ...env].map(({ value }) => value)
  return [...values, ...args, baseUrl, endpointPath, cmd, workingDir].some((text) => text?.includes(token) === true)
}

/** Whether tokens of a session lead to the address that everybody else uses. */
export function isSameAddress(connector: Connector, tokens: Partial<TokenValues>): boolean {
  return addressOf(connector, tokens) === addressOf(connector, {})
}

function addressOf(connector: Connector, tokens: Partial<TokenValues>): string | null {
  try {
    return serverUrl(connector, { ...tokensFor(null), ...tokens })?.href ?? null
  } catch {
    // An address with a secret in it is no place to sign in to, for nobody.
    return null
  }
}

import {
  secretNamePattern,
  type Connector,
  type ConnectorOptions,
  type Isolation,
  type Transport,
  type SecretLookup,
} from '@herma/contract'
import type { Authorization } from '../authorization/authorization.ts'
import { facadeName } from '../../wire/index.ts'
import { runsPackage } from '../channel/package-runner.ts'
import { noSecrets } from '../connector/secret-reference.ts'

/** A connector as it is used for one link: tokens replaced, URL joined. */
export interface LinkSettings {
  readonly connectorId: string
  readonly name: string
  readonly transport: Transport
  readonly url: URL | null
  /** Flat list of names and values. */
  readonly headers: readonly string[]
  /** Null where a header of the connector takes its place. */
  readonly authorization: Authorization | null
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly workingDir: string
  readonly isolation: Isolation
  readonly options: ConnectorOptions
  /** What the server is told that its client can do. */
  readonly capabilities: Record<string, unknown>
}

/** How long a server has until its handshake is done: more where its start may be an install. */
export function startAllowance(
  settings: Pick<LinkSettings, 'transport' | 'command' | 'args' | 'isolation' | 'options'>,
): number {
  const { handshakeTimeoutMs, installTimeoutMs } = settings.options
  // A container may have its image fetched first.
  const isInstall = settings.transport === 'stdio' && (settings.isolation.type === 'container' || runsPackage(settings))
  return isInstall ? Math.max(handshakeTimeoutMs, installTimeoutMs) : handshakeTimeoutMs
}

/** Values of the tokens that may stand in arguments, environment, headers, URL and working directory. */
export interface TokenValues {
  readonly cwd: string
  readonly session_id: string
  readonly thread_id: string
  readonly server_id: string
  readonly hop_limit: string
  /** Behind `{secret:NAME}`, which does not stand in the working directory or the command. */
  readonly secretOf?: SecretLookup | undefined
}

export function toLinkSettings(
  connector: Connector,
  tokens: TokenValues,
  of: Pick<LinkSettings, 'connectorId' | 'capabilities' | 'authorization'>,
): LinkSettings {
  const workingDir = replaceTokens(connector.workingDir ?? '{cwd}', tokens)
  const inside = { ...tokens, cwd: workingDir }
  const replace = (text: string) => replaceAll(text, inside, (value) => value)
  return {
    ...of,
    name: connector.name,
    transport: connector.transport,
    url: serverUrl(connector, tokens),
    headers: connector.headers.flatMap(({ name, value }) => (value === undefined ? [] : [name, replace(value)])),
    command: replaceTokens(connector.cmd ?? '', inside),
    args: connector.args.map(replace),
    env: Object.fromEntries(connector.env.map(({ name, value }) => [name, replace(value ?? '')])),
    workingDir,
    isolation: connector.isolation ?? { type: 'process' },
    options: connector.options,
  }
}

/** Where the server of a connector is; null for a command. */
export function serverUrl({ baseUrl, endpointPath }: Connector, tokens: TokenValues): URL | null {
  if (baseUrl === undefined) return null
  // A secret is a part of the address as a whole: no sign in it begins another part, or leads to another host.
  const replace = (text: string) => replaceAll(text, tokens, encodeURIComponent)
  return joinUrl(replace(baseUrl), replace(endpointPath ?? ''))
}

/** The same without secrets, for those who ask before it is used; an address that is none shows then. */
export function findServerUrl(connector: Connector, server_id: string = facadeName): URL | null {
  try {
    return serverUrl(connector, { ...tokensFor(null), server_id })
  } catch {
    return null
  }
}

/** The values for what belongs to one connection of a client, or to none. Only a session has threads and hops to count. */
export function tokensFor(connectionId: string | null, secretOf?: SecretLookup): TokenValues {
  const ids = { session_id: connectionId ?? '', thread_id: '', server_id: facadeName }
  return { cwd: process.cwd(), ...ids, hop_limit: '', secretOf }
}

/** Unknown tokens stay as they are: braces are common in arguments. */
export function replaceTokens(text: string, tokens: TokenValues): string {
  return text.replace(
    /\{(cwd|session_id|thread_id|server_id|hop_limit)\}/g,
    (_, name: Exclude<keyof TokenValues, 'secretOf'>) => tokens[name],
  )
}

const tokenOrSecret = new RegExp(`\\{(?:secret:(${secretNamePattern})|\\w+)\\}`, 'g')

/** Tokens and secrets, in one pass: what a value holds is not looked at again. */
function replaceAll(text: string, tokens: TokenValues, encode: (value: string) => string): string {
  const { secretOf = noSecrets } = tokens
  return text.replace(tokenOrSecret, (whole, secret: string | undefined) =>
    secret === undefined ? replaceTokens(whole, tokens) : encode(secretOf(secret)),
  )
}

/** An endpoint path comes behind the path of the base URL. It never leads to another host. */
export function joinUrl(baseUrl: string, endpointPath: string): URL {
  const joined = new URL(baseUrl)
  if (endpointPath === '') return joined
  const [, path = '', query] = /^([^?#]*)(\?[^#]*)?/.exec(endpointPath) ?? []
  joined.pathname = joined.pathname.replace(/\/$/, '') + (path.startsWith('/') ? '' : '/') + path
  if (query !== undefined) joined.search = query
  return joined
}

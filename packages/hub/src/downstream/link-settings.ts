import type { Connector, ConnectorOptions, Transport } from '@herma/contract'
import type { Authorization } from './authorization/authorization.ts'

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
  readonly options: ConnectorOptions
  /** What the server is told that its client can do. */
  readonly capabilities: Record<string, unknown>
}

/** Values of the tokens that may stand in arguments, environment, headers, URL and working directory. */
export interface TokenValues {
  readonly cwd: string
  readonly session_id: string
  readonly thread_id: string
  readonly server_id: string
  readonly hop_limit: string
}

export function toLinkSettings(
  connector: Connector,
  tokens: TokenValues,
  of: Pick<LinkSettings, 'connectorId' | 'capabilities' | 'authorization'>,
): LinkSettings {
  const replace = (text: string) => replaceTokens(text, tokens)
  const workingDir = replace(connector.workingDir ?? '{cwd}')
  const inside = { ...tokens, cwd: workingDir }
  return {
    ...of,
    name: connector.name,
    transport: connector.transport,
    url: serverUrl(connector, tokens),
    headers: connector.headers.flatMap(({ name, value }) =>
      value === undefined ? [] : [name, replaceTokens(value, inside)],
    ),
    command: replaceTokens(connector.cmd ?? '', inside),
    args: connector.args.map((arg) => replaceTokens(arg, inside)),
    env: Object.fromEntries(connector.env.map(({ name, value }) => [name, replaceTokens(value ?? '', inside)])),
    workingDir,
    options: connector.options,
  }
}

/** Where the server of a connector is; null for a command. */
export function serverUrl({ baseUrl, endpointPath }: Connector, tokens: TokenValues): URL | null {
  return baseUrl === undefined
    ? null
    : joinUrl(replaceTokens(baseUrl, tokens), replaceTokens(endpointPath ?? '', tokens))
}

/** The values for what belongs to one connection of a client, or to none. */
export function tokensFor(connectionId: string | null): TokenValues {
  return { cwd: process.cwd(), session_id: connectionId ?? '', thread_id: '', server_id: 'facade', hop_limit: '3' }
}

/** Unknown tokens stay as they are: braces are common in arguments. */
export function replaceTokens(text: string, tokens: TokenValues): string {
  return text.replace(
    /\{(cwd|session_id|thread_id|server_id|hop_limit)\}/g,
    (_, name: keyof TokenValues) => tokens[name],
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

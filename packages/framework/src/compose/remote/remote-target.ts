import {
  Client,
  StreamableHTTPClientTransport,
  type AuthProvider,
  type OAuthClientProvider,
  type Transport,
} from '@modelcontextprotocol/client'
import { ConfigError } from '../../protocol/errors.ts'
import { ChildTransport } from './remote-child.ts'

/** A program that serves MCP on its standard streams. */
export interface RemoteCommand {
  readonly command: string
  readonly args?: readonly string[]
  /** Added to the few harmless variables that every child gets. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** Headers in any form that `fetch` takes. */
export type RemoteHeaders = NonNullable<ConstructorParameters<typeof Headers>[0]>

export interface RemoteHttpOptions {
  /** Sent with every request, such as the credentials of this server. */
  readonly headers?: RemoteHeaders | (() => RemoteHeaders | Promise<RemoteHeaders>)
  readonly authProvider?: AuthProvider | OAuthClientProvider
  readonly fetch?: typeof fetch
}

/** Where a remote server is, and how a connection to it begins. */
export interface Target {
  /** For messages: without query and credentials, which may be secrets. */
  readonly label: string
  /** Undefined for a client that came connected: it cannot be connected anew. */
  open: (() => Transport) | undefined
  readonly client: Client | undefined
}

export function readTarget(target: string | URL | RemoteCommand | Client, options: RemoteHttpOptions): Target {
  if (target instanceof Client)
    return { label: target.getServerVersion()?.name ?? 'client', open: undefined, client: target }
  if (typeof target === 'string' || target instanceof URL) return httpTarget(String(target), options)
  if (typeof target.command !== 'string' || target.command === '') {
    throw new ConfigError(
      'A remote server needs a URL or a command.',
      "For example { command: 'npx', args: ['-y', '…'] }.",
    )
  }
  const name = target.command.split(/[\\/]/).at(-1)!
  return { label: name, open: () => new ChildTransport(target), client: undefined }
}

function httpTarget(address: string, { headers, authProvider, fetch: send = fetch }: RemoteHttpOptions): Target {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new ConfigError(
      'The address of a remote server must be a whole URL.',
      "For example 'https://example.com/mcp'.",
    )
  }
  const withHeaders = async (input: string | URL, init: RequestInit = {}) => {
    const all = new Headers(init.headers)
    new Headers(typeof headers === 'function' ? await headers() : headers).forEach((value, name) =>
      all.set(name, value),
    )
    return send(input, { ...init, headers: all })
  }
  const open = () =>
    new StreamableHTTPClientTransport(url, {
      fetch: headers === undefined ? send : withHeaders,
      ...(authProvider !== undefined && { authProvider }),
    })
  return { label: `${url.host}${url.pathname}`, open, client: undefined }
}

import type { Auth } from '../../auth/auth.ts'
import { ConfigError } from '../../protocol/errors.ts'
import type { Bus, Registry } from '../../registry/registry.ts'
import type { EventLog, Store } from '../../store/store.ts'
import type { HttpOptions } from './http-app.ts'

/** `HttpOptions` with everything said. */
export interface HttpSettings {
  readonly path: string
  readonly auth: Auth | undefined
  readonly allowedHosts: readonly string[] | undefined
  readonly allowedOrigins: readonly string[]
  readonly connections:
    | { readonly idleMs: number; readonly max: number; readonly store?: Store; readonly events?: EventLog }
    | undefined
  readonly sse: { readonly path: string; readonly messages: string } | undefined
  readonly maxBodyBytes: number
  readonly maxUnreadBytes: number
  readonly bus: Bus | undefined
  readonly registry: Registry | undefined
}

export function readHttpOptions(options: HttpOptions): HttpSettings {
  const { auth, allowedHosts, allowedOrigins = [], connections = {}, sse = false, bus, registry } = options
  const paths = sse === true ? {} : sse
  const settings: HttpSettings = {
    path: options.path ?? '/mcp',
    auth,
    allowedHosts,
    allowedOrigins,
    connections: connections === false ? undefined : { idleMs: 30 * 60_000, max: 10_000, ...connections },
    sse: paths === false ? undefined : { path: '/sse', messages: '/messages', ...paths },
    maxBodyBytes: options.maxBodyBytes ?? 4 * 1024 * 1024,
    maxUnreadBytes: options.maxUnreadBytes ?? 64 * 1024 * 1024,
    bus,
    registry,
  }
  checkPaths(settings)
  checkNumber('maxBodyBytes', settings.maxBodyBytes)
  checkNumber('maxUnreadBytes', settings.maxUnreadBytes)
  if (settings.connections !== undefined) {
    checkNumber('connections.idleMs', settings.connections.idleMs)
    checkNumber('connections.max', settings.connections.max)
  }
  if (settings.sse !== undefined && settings.connections === undefined) {
    throw new ConfigError('HTTP+SSE needs connections, which are turned off.', 'Remove sse, or connections: false.')
  }
  return settings
}

function checkPaths({ path, sse }: HttpSettings): void {
  const paths = sse === undefined ? [path] : [path, sse.path, sse.messages]
  for (const given of paths) {
    if (/^\/[^?#]*$/.test(given)) continue
    throw new ConfigError(`The path ${JSON.stringify(given)} cannot be served.`, "Begin it with '/', without a query.")
  }
  if (new Set(paths).size < paths.length) {
    throw new ConfigError('Two of the paths to serve are the same.', 'Give path, sse.path and sse.messages one each.')
  }
}

function checkNumber(name: string, value: number): void {
  if (Number.isFinite(value) && value >= 1) return
  throw new ConfigError(`The option ${name} is ${value}.`, 'Write a number from 1.')
}

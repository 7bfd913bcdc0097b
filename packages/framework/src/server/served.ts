import type { Transport } from '@modelcontextprotocol/server'
import type { Connection, Connections, Notifier } from '../connection/connection.ts'
import { connectTransport } from '../transport/connect-transport.ts'
import { httpApp, type HttpApp, type HttpOptions } from '../transport/http/http-app.ts'
import { serveStdio, type StdioOptions } from '../transport/stdio.ts'
import type { Running } from '../supervise/running.ts'
import type { Host } from '../host/host.ts'

/** Ways to serve a server, whatever it is made of. */
export interface Served {
  /** Announces changes to every client. */
  readonly notify: Notifier
  readonly connections: Connections
  /** Serves on standard input and output until they end. Standard output belongs to the protocol from here on. */
  stdio(options?: StdioOptions): Promise<Running>
  /** Serves over HTTP: as a `fetch` handler, a handler for node's server, or a server of its own. */
  http(options?: HttpOptions): HttpApp
  /** Serves one client over any transport of the SDK, for example in memory. */
  connect(transport: Transport): Promise<Connection>
}

const hosts = new WeakMap<object, Host>()

/** The host behind a server, for transports and the testing kit. */
export function hostOf(served: object): Host {
  const host = hosts.get(served)
  if (host === undefined)
    throw new TypeError('This is no server of the framework: make one with server() or serverOf().')
  return host
}

/** Gives `target` the ways to serve. */
export function makeServed<Target extends object>(target: Target, host: Host): Target & Served {
  const served: Served = {
    notify: host.notify,
    connections: viewOf(host),
    stdio: (options) => serveStdio(host, options),
    http: (options) => httpApp(host, options),
    connect: (transport) => connectTransport(host, transport),
  }
  const whole = Object.assign(target, served)
  hosts.set(whole, host)
  return whole
}

function viewOf({ connections }: Host): Connections {
  return {
    get size() {
      return connections.size
    },
    get: (id) => connections.get(id),
    [Symbol.iterator]: () => connections.values(),
  }
}

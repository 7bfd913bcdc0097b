import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigError } from '../../protocol/errors.ts'
import type { Host } from '../../host/host.ts'
import { deferred } from '../../supervise/deferred.ts'
import type { Health, Running } from '../../supervise/running.ts'
import { emit } from '../../telemetry/events.ts'
import { ClusterMembership } from './cluster-membership.ts'
import type { HttpEndpoint } from './endpoint.ts'
import { isLoopbackName } from './access/guard.ts'
import type { HttpSettings } from './http-settings.ts'

export interface ListenOptions {
  readonly host: Host
  readonly endpoint: HttpEndpoint
  readonly settings: HttpSettings
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
}

/** Serves on a port of its own until it is stopped. */
export async function listen(options: ListenOptions, port: number, address: string): Promise<HttpListener> {
  checkAddress(address, options.settings)
  const { createServer } = await import('node:http')
  const server = createServer((request, response) => void options.handle(request, response))
  harden(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, address, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const listener = new HttpListener(options, server, address)
  await listener.join()
  return listener
}

/** A server of node's that serves ours. */
class HttpListener implements Running {
  readonly url: URL
  readonly #options: ListenOptions
  readonly #server: Server
  readonly #membership: ClusterMembership | undefined
  readonly #done = deferred()
  #status: Health['status'] = 'up'
  #closing: Promise<void> | undefined
  #stopping: Promise<void> | undefined

  constructor(options: ListenOptions, server: Server, address: string) {
    const { host, endpoint, settings } = options
    this.#options = options
    this.#server = server
    this.url = urlOf(server, address, settings.path)
    const { name, version } = host.info
    const node = { id: endpoint.node, url: this.url.href, servers: [{ name, version, path: settings.path }] }
    this.#membership = settings.registry && new ClusterMembership(host, settings.registry, node)
    server.on('error', (error) => this.#fail(error))
  }

  get done(): Promise<void> {
    return this.#done.promise
  }

  /** Makes it known that it serves. */
  async join(): Promise<void> {
    const { host, endpoint } = this.#options
    await endpoint.join()
    await this.#membership?.join()
    emit('mcp.transport.open', () => ({ server: host.info.name, kind: 'http', address: this.url.href }))
  }

  health(): Health {
    const { connections, inFlight } = this.#options.host
    return { status: this.#status, connections: connections.size, inFlight }
  }

  async drain(ms = 5000): Promise<void> {
    const { host, endpoint } = this.#options
    if (this.#status === 'up') this.#status = 'draining'
    void this.#close()
    endpoint.drain()
    const until = Date.now() + ms
    while (host.inFlight > 0 && Date.now() < until) await sleep(10)
  }

  async stop(): Promise<void> {
    await (this.#stopping ??= this.#stop())
    this.#done.resolve()
  }

  async #stop(): Promise<void> {
    const { host, endpoint } = this.#options
    await this.#membership?.leave()
    const closed = this.#close()
    await endpoint.close()
    // What was written last leaves before the sockets are closed.
    await sleep(1)
    this.#server.closeAllConnections()
    await closed
    this.#status = 'down'
    emit('mcp.transport.close', () => ({ server: host.info.name, kind: 'http' }))
  }

  /** Takes no new sockets; resolves when the last one is closed. */
  #close(): Promise<void> {
    return (this.#closing ??= new Promise((resolve) => this.#server.close(() => resolve())))
  }

  #fail(cause: Error): void {
    emit('mcp.transport.error', () => ({ server: this.#options.host.info.name, kind: 'http', error: cause }))
    this.#done.reject(cause)
    this.stop().catch((error: unknown) => this.#options.host.report(error))
  }
}

function checkAddress(address: string, { auth, allowedHosts }: HttpSettings): void {
  if (isLoopbackName(address) || auth !== undefined || allowedHosts !== undefined) return
  throw new ConfigError(
    `Listening on ${address} lets everybody who reaches this machine call the server.`,
    "Give http() the option auth, or allowedHosts with the names that clients use, or listen on '127.0.0.1'.",
  )
}

function harden(server: Server): void {
  server.keepAliveTimeout = 65_000
  server.headersTimeout = 66_000
  // Streams show a sign of life every 15 seconds, so a silent socket is one that nobody reads any more.
  server.timeout = 120_000
}

function urlOf(server: Server, address: string, path: string): URL {
  const { port } = server.address() as AddressInfo
  const isEverywhere = address === '0.0.0.0' || address === '::'
  const name = isEverywhere ? '127.0.0.1' : address
  return new URL(path, `http://${name.includes(':') ? `[${name}]` : name}:${port}`)
}

import type { Membership, NodeInfo, Registry } from '../../registry/registry.ts'
import type { Host } from '../../host/host.ts'
import { emit } from '../../telemetry/events.ts'

const ttlMs = 30_000
const renewMs = 10_000

/** Keeps this process among those that a registry knows, for as long as it serves. */
export class ClusterMembership {
  readonly #host: Host
  readonly #registry: Registry
  readonly #node: Omit<NodeInfo, 'load'>
  #membership: Membership | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(host: Host, registry: Registry, node: Omit<NodeInfo, 'load'>) {
    this.#host = host
    this.#registry = registry
    this.#node = node
  }

  /** A registry that cannot be reached now is tried again, and does not keep the process from serving. */
  async join(): Promise<void> {
    await this.#renew()
    this.#timer = setInterval(() => void this.#renew(), renewMs).unref()
  }

  async leave(): Promise<void> {
    clearInterval(this.#timer)
    try {
      await this.#membership?.leave()
    } catch (error) {
      // The registry forgets the node by itself when it is not renewed.
      this.#host.report(error)
    }
    if (this.#membership !== undefined) this.#tell('down')
    this.#membership = undefined
  }

  async #renew(): Promise<void> {
    const load = this.#host.inFlight
    try {
      if (this.#membership !== undefined) return await this.#membership.renew(load)
      this.#membership = await this.#registry.join({ ...this.#node, load }, ttlMs)
      this.#tell('up')
    } catch (error) {
      this.#host.report(error)
    }
  }

  #tell(change: 'up' | 'down'): void {
    emit('mcp.cluster.node', () => ({ server: this.#host.info.name, change, node: this.#node.id }))
  }
}

import { checkPositive } from '../store/check-positive.ts'
import { createSweeper } from '../store/sweeper.ts'
import type { NodeInfo, Registry } from './registry.ts'

/** What a registry in memory is made with. */
export interface MemoryRegistryOptions {
  /** Milliseconds since 1970. */
  readonly clock?: () => number
}

interface Lease {
  info: NodeInfo
  expiresAt: number
}

interface Claim {
  readonly node: string
  readonly expiresAt: number
}

/**
 * Knows the nodes of this process and which of them owns a connection.
 * A claim ends with its time or with its node's lease, whichever is sooner: others take over when a node dies.
 */
export function memoryRegistry({ clock = Date.now }: MemoryRegistryOptions = {}): Registry {
  const leases = new Map<string, Lease>()
  const claims = new Map<string, Claim>()

  const isAlive = (node: string) => (leases.get(node)?.expiresAt ?? 0) > clock()
  const ownerOf = (connection: string) => {
    const claim = claims.get(connection)
    return claim !== undefined && claim.expiresAt > clock() && isAlive(claim.node) ? claim.node : undefined
  }
  const dropClaimsOf = (node: string) => {
    for (const [connection, claim] of claims) if (claim.node === node) claims.delete(connection)
  }
  const sweeper = createSweeper(() => {
    for (const connection of claims.keys()) if (ownerOf(connection) === undefined) claims.delete(connection)
    for (const node of leases.keys()) if (!isAlive(node)) leases.delete(node)
    return claims.size + leases.size
  })

  return {
    async join(node, ttlMs) {
      checkPositive('ttlMs', ttlMs)
      // A process that was killed and came back need not wait for its old lease; what it owned died with it.
      dropClaimsOf(node.id)
      const lease: Lease = { info: structuredClone(node), expiresAt: clock() + ttlMs }
      leases.set(node.id, lease)
      sweeper.wake()
      return {
        async renew(load) {
          if (leases.get(node.id) !== lease && isAlive(node.id)) {
            throw new Error(`Another process joined as node '${node.id}'. Give every process an id of its own.`)
          }
          // A process that slept comes back, but others may own its connections by now.
          if (lease.expiresAt <= clock()) dropClaimsOf(node.id)
          lease.info = { ...lease.info, load }
          lease.expiresAt = clock() + ttlMs
          leases.set(node.id, lease)
          sweeper.wake()
        },
        async leave() {
          if (leases.get(node.id) !== lease) return
          leases.delete(node.id)
          dropClaimsOf(node.id)
        },
      }
    },
    async nodes(server) {
      return [...leases.values()]
        .filter(({ info }) => isAlive(info.id))
        .filter(({ info }) => server === undefined || info.servers.some(({ name }) => name === server))
        .map(({ info }) => structuredClone(info))
    },
    async claim(connection, node, ttlMs) {
      checkPositive('ttlMs', ttlMs)
      if (!isAlive(node)) throw new Error(`There is no node '${node}', so it can own nothing. Call join() first.`)
      const owner = ownerOf(connection)
      if (owner !== undefined && owner !== node) return owner
      claims.set(connection, { node, expiresAt: clock() + ttlMs })
      sweeper.wake()
      return node
    },
    async owner(connection) {
      return ownerOf(connection)
    },
    async release(connection, node) {
      if (claims.get(connection)?.node === node) claims.delete(connection)
    },
  }
}

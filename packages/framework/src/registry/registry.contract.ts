import { describe, expect, test } from 'vitest'
import type { NodeInfo, Registry } from './registry.ts'

const ttlMs = 60_000
let count = 0

/** What every registry promises. `open` runs inside each test; the registries that it returns may share their nodes. */
export function describeRegistry(name: string, open: () => Registry | Promise<Registry>): void {
  const unique = (what: string) => `${what}-${(count += 1)}-${process.pid}`
  const newNode = (server = 'files'): NodeInfo => {
    const id = unique('node')
    return { id, url: `http://${id}.test`, servers: [{ name: server, version: '1.0.0', path: '/mcp' }], load: 0 }
  }
  const idsOf = async (registry: Registry, server?: string) => (await registry.nodes(server)).map((node) => node.id)

  describe(`the ${name} registry`, () => {
    test('lists nodes from joining to leaving', async () => {
      const registry = await open()
      const node = newNode()
      const membership = await registry.join(node, ttlMs)
      expect(await registry.nodes()).toContainEqual(node)
      await membership.leave()
      expect(await idsOf(registry)).not.toContain(node.id)
      await membership.leave()
    })

    test('lists the nodes that serve a server', async () => {
      const registry = await open()
      const [one, other] = [newNode(unique('server')), newNode(unique('server'))]
      await registry.join(one, ttlMs)
      await registry.join(other, ttlMs)
      expect(await idsOf(registry, one.servers[0]?.name)).toEqual([one.id])
      expect(await idsOf(registry, unique('server'))).toEqual([])
    })

    test('shares no objects with its callers', async () => {
      const registry = await open()
      const servers = [{ name: unique('server'), version: '1.0.0', path: '/mcp' }]
      await registry.join({ ...newNode(), servers }, ttlMs)
      const [server] = servers
      servers.pop()
      expect(await registry.nodes(server?.name)).toHaveLength(1)
    })

    test('a renewal says the load', async () => {
      const registry = await open()
      const node = newNode()
      const membership = await registry.join(node, ttlMs)
      await membership.renew(7)
      expect(await registry.nodes()).toContainEqual({ ...node, load: 7 })
    })

    test('a node that does not renew is gone after its time', async () => {
      const registry = await open()
      const [node, brief] = [newNode(), newNode()]
      await registry.join(node, ttlMs)
      await registry.join(brief, 1)
      await expect.poll(() => idsOf(registry), { timeout: 10_000 }).not.toContain(brief.id)
      expect(await idsOf(registry)).toContain(node.id)
    })

    test('a node whose lease ran out comes back with a renewal, without its connections', async () => {
      const registry = await open()
      const [node, connection] = [newNode(), unique('connection')]
      const membership = await registry.join(node, 200)
      // On a busy machine the lease may have run out before the claim.
      await registry.claim(connection, node.id, ttlMs).catch(() => membership.renew(0))
      await expect.poll(() => idsOf(registry), { timeout: 10_000 }).not.toContain(node.id)
      await membership.renew(1)
      expect(await registry.owner(connection)).toBeUndefined()
    })

    test('a node that joins again takes the place of its former self, without its connections', async () => {
      const registry = await open()
      const [node, connection] = [newNode(), unique('connection')]
      const former = await registry.join(node, ttlMs)
      await registry.claim(connection, node.id, ttlMs)
      await registry.join({ ...node, url: 'http://moved.test' }, ttlMs)
      expect(await registry.owner(connection)).toBeUndefined()
      await expect(former.renew(0)).rejects.toThrow(`Another process joined as node '${node.id}'`)
      await former.leave()
      expect(await registry.nodes()).toContainEqual({ ...node, url: 'http://moved.test' })
    })

    test('the first claim wins, and everybody learns who won', async () => {
      const registry = await open()
      const [one, two, connection] = [newNode(), newNode(), unique('connection')]
      await registry.join(one, ttlMs)
      await registry.join(two, ttlMs)
      expect(await registry.owner(connection)).toBeUndefined()
      expect(await registry.claim(connection, one.id, ttlMs)).toBe(one.id)
      expect(await registry.claim(connection, two.id, ttlMs)).toBe(one.id)
      expect(await registry.claim(connection, one.id, ttlMs)).toBe(one.id)
      expect(await registry.owner(connection)).toBe(one.id)
    })

    test('20 concurrent claims have one winner', async () => {
      const registry = await open()
      const connection = unique('connection')
      const nodes = Array.from({ length: 20 }, () => newNode())
      for (const node of nodes) await registry.join(node, ttlMs)
      const owners = await Promise.all(nodes.map((node) => registry.claim(connection, node.id, ttlMs)))
      expect(new Set(owners).size).toBe(1)
      expect(await registry.owner(connection)).toBe(owners[0])
    })

    test('only its owner can release a connection', async () => {
      const registry = await open()
      const [one, two, connection] = [newNode(), newNode(), unique('connection')]
      await registry.join(one, ttlMs)
      await registry.join(two, ttlMs)
      await registry.claim(connection, one.id, ttlMs)
      await registry.release(connection, two.id)
      expect(await registry.owner(connection)).toBe(one.id)
      await registry.release(connection, one.id)
      expect(await registry.owner(connection)).toBeUndefined()
      expect(await registry.claim(connection, two.id, ttlMs)).toBe(two.id)
    })

    test('a claim ends with its time', async () => {
      const registry = await open()
      const [one, two, connection] = [newNode(), newNode(), unique('connection')]
      await registry.join(one, ttlMs)
      await registry.join(two, ttlMs)
      await registry.claim(connection, one.id, 1)
      await expect.poll(() => registry.owner(connection), { timeout: 10_000 }).toBeUndefined()
      expect(await registry.claim(connection, two.id, ttlMs)).toBe(two.id)
    })

    test.each(['leaves', 'dies'])('the connections of a node that %s are free', async (how) => {
      const registry = await open()
      const [one, two, connection] = [newNode(), newNode(), unique('connection')]
      const membership = await registry.join(one, how === 'dies' ? 300 : ttlMs)
      await registry.join(two, ttlMs)
      // On a busy machine the node may be dead already.
      await registry.claim(connection, one.id, ttlMs).catch(() => undefined)
      if (how === 'leaves') await membership.leave()
      await expect.poll(() => registry.owner(connection), { timeout: 10_000 }).toBeUndefined()
      expect(await registry.claim(connection, two.id, ttlMs)).toBe(two.id)
    })

    test('a node that did not join can own nothing', async () => {
      const registry = await open()
      await expect(registry.claim(unique('connection'), unique('node'), ttlMs)).rejects.toThrow('Call join() first')
    })
  })
}

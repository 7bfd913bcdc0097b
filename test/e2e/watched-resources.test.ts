import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { modernRevision } from '../../packages/hub/src/wire/index.ts'
import { LegacyCaller } from '../fixtures/caller/legacy-caller.ts'
import { ModernCaller, type ModernRequest } from '../fixtures/caller/modern-caller.ts'
import type { PuppetCall } from '../fixtures/puppet/puppet-call.ts'
import { startPuppet, type Puppet, type PuppetOptions } from '../fixtures/puppet/start-puppet.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'
import type { WireMessage } from './wire-client.ts'

let hub: TestHub
const puppets = new Map<string, Puppet>()

const behaviours = {
  grow({ session }: PuppetCall) {
    const puppet = [...puppets.values()].find(({ sessions }) => sessions.includes(session))!
    puppet.script.tools.push(`leaf-${puppet.script.tools.length}`)
    const method = 'notifications/tools/list_changed'
    if (puppet.script.revision === modernRevision) session.tell(method, {})
    else session.notify(method)
    return 'grown'
  },
}

const ways: [string, PuppetOptions][] = [
  ['stdio', { transport: 'stdio' }],
  ['stdio-modern', { transport: 'stdio', revision: modernRevision }],
  ['sse', { transport: 'sse' }],
  ['stream', { transport: 'stream' }],
  ['stream-400', { transport: 'stream', lostStatus: 400 }],
  ['stream-modern', { transport: 'stream', revision: modernRevision }],
]

beforeAll(async () => {
  hub = await startTestHub()
  await Promise.all(
    ways.map(async ([name, options]) => {
      const puppet = await startPuppet({ ...options, behaviours, resources: [uriOf(name), `${uriOf(name)}/other`] })
      puppets.set(name, puppet)
      await hub.add(puppet.connector(name))
    }),
  )
})

afterAll(async () => {
  await hub?.stop()
  await Promise.all([...puppets.values()].map((puppet) => puppet.stop()))
})

const uriOf = (name: string) => `puppet://${name}`

/** How often the servers of this name are told to report on a resource: once for each link that wants it. */
function watching(name: string): number {
  const uri = uriOf(name)
  const open = puppets.get(name)!.sessions.filter((session) => !session.isClosed)
  return open.reduce((sum, { watched }) => sum + watched.filter((other) => other === uri).length, 0)
}

/** True once the servers are told this often. */
function settles(name: string, count: number): Promise<boolean> {
  return waitFor(() => (watching(name) === count ? true : undefined))
}

const updates = (notes: readonly WireMessage[], uri: string) =>
  notes.filter(({ method, params }) => method === 'notifications/resources/updated' && params?.['uri'] === uri).length

async function watchLegacy(uri: string): Promise<LegacyCaller> {
  const client = await LegacyCaller.connect(hub.endpoint)
  client.listen()
  expect((await client.request('resources/subscribe', { uri })).result).toEqual({})
  return client
}

function watchModern(uri: string): ModernRequest {
  const notifications = { toolsListChanged: true, resourceSubscriptions: [uri] }
  return new ModernCaller(hub.endpoint).start('subscriptions/listen', { notifications })
}

/** Ends the server as a crash or a restart does. */
async function restart(name: string, options: PuppetOptions): Promise<void> {
  const puppet = puppets.get(name)!
  if (options.transport === 'stdio') {
    for (const session of puppet.sessions) if (!session.isClosed) session.crash()
    return
  }
  await puppet.stop()
  const { resources } = puppet.script
  puppets.set(name, await startPuppet({ ...options, behaviours, resources, port: puppet.port }))
}

describe.each(ways)('the resources of a server behind %s', (name, options) => {
  const uri = uriOf(name)

  test('are watched once for all that watch them, until the last one leaves', async () => {
    const [ada, grace] = [await watchLegacy(uri), await watchLegacy(uri)]
    const edith = watchModern(uri)
    await waitFor(() => (edith.notes.length > 0 ? true : undefined))
    await waitFor(() => (watching(name) > 0 ? true : undefined))
    await waitFor(() => {
      puppets.get(name)!.touch(uri)
      return [ada.notes, grace.notes, edith.notes].every((notes) => updates(notes, uri) > 0) ? true : undefined
    })
    edith.close()
    await ada.request('resources/unsubscribe', { uri })
    await ada.close()
    await settles(name, 1)
    puppets.get(name)!.touch(uri)
    const before = updates(grace.notes, uri)
    await waitFor(() => {
      puppets.get(name)!.touch(uri)
      return updates(grace.notes, uri) > before ? true : undefined
    })
    await grace.request('resources/unsubscribe', { uri })
    expect(await settles(name, 0)).toBe(true)
    await grace.close()
  })

  test('are watched no more when a client leaves without a word', async () => {
    const ada = await watchLegacy(uri)
    await settles(name, 1)
    await ada.close()
    expect(await settles(name, 0)).toBe(true)
  })

  test('are still watched after a restart, with nobody calling anything', async () => {
    const ada = await watchLegacy(uri)
    const edith = watchModern(uri)
    // Nothing is under way that could tell the hub of the restart.
    // Over HTTP each kind of client has a legacy session of its own; a process is one for all.
    await settles(name, options.revision === modernRevision || options.transport === 'stdio' ? 1 : 2)
    await waitFor(async () => ((await hub.health(name)).inFlight === 0 ? true : undefined))
    await restart(name, options)
    await waitFor(() => {
      if (watching(name) > 0) puppets.get(name)!.touch(uri)
      return updates(ada.notes, uri) > 0 && updates(edith.notes, uri) > 0 ? true : undefined
    }, 15_000)
    edith.close()
    await ada.close()
    expect(await settles(name, 0)).toBe(true)
  })

  test('come and go: a change of a list reaches the clients of both eras', async () => {
    const ada = await LegacyCaller.connect(hub.endpoint)
    ada.listen()
    const edith = watchModern(`${uri}/other`)
    const isTold = (notes: readonly WireMessage[]) =>
      notes.some(({ method }) => method === 'notifications/tools/list_changed')
    await waitFor(() => (edith.notes.length > 0 ? true : undefined))
    await ada.call(`${name}__grow`)
    expect(await waitFor(() => (isTold(ada.notes) && isTold(edith.notes) ? true : undefined))).toBe(true)
    edith.close()
    await ada.close()
  })
})

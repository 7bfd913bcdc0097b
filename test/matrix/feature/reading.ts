import { picture } from '../server/content-tools.ts'
import { offersOf } from '../server/offers.ts'
import type { ListKind } from '../server/world.ts'
import type { Cell } from '../cell.ts'
import { isModern } from '../revision.ts'
import { metaKeys, metaOf, type WireMessage } from '../wire-message.ts'
import { worldOf } from './content.ts'
import { errorOf, expectSame, expectTrue, until } from './expect.ts'
import { introduced, type Feature } from './feature.ts'
import { listAll } from './list-all.ts'

/** Resources, prompts and completion, and how clients hear of changes. */
export const readingFeatures: readonly Feature[] = [
  {
    name: 'resources',
    title: 'Resources: list and read, text and binary',
    async run(cell) {
      const listed = await listAll(cell.client, 'resources/list', 'resources')
      const expected = offersOf(worldOf(cell)).resources
      expectSame(
        'the resources',
        listed.filter(({ uri }) => expected.some((own) => own['uri'] === uri)),
        expected,
      )
      const text = [{ uri: cell.uri('note'), mimeType: 'text/plain', text: 'A note.' }]
      expectSame('the text', await read(cell, cell.uri('note')), text)
      const blob = [{ uri: cell.uri('picture'), mimeType: 'image/png', blob: picture }]
      expectSame('the picture', await read(cell, cell.uri('picture')), blob)
    },
  },
  {
    name: 'templates',
    title: 'Resource templates',
    async run(cell) {
      const listed = await listAll(cell.client, 'resources/templates/list', 'resourceTemplates')
      const [expected] = offersOf(worldOf(cell)).resourceTemplates
      expectSame(
        'the template',
        listed.find(({ uriTemplate }) => uriTemplate === expected!['uriTemplate']),
        expected,
      )
      const uri = cell.uri(`item/${cell.key}`)
      expectSame('the item', await read(cell, uri), [{ uri, mimeType: 'text/plain', text: 'version 1' }])
    },
  },
  {
    name: 'missing-resource',
    title: 'Missing resource: -32002 for legacy clients, -32602 for modern ones',
    async run(cell) {
      const error = await errorOf(read(cell, cell.uri('nothing')))
      expectSame('the code', error.code, isModern(cell.kind.client) ? -32602 : -32002)
    },
  },
  {
    name: 'prompts',
    title: 'Prompts: list and get',
    async run(cell) {
      const listed = await listAll(cell.client, 'prompts/list', 'prompts')
      const expected = offersOf(worldOf(cell)).prompts.map((one) => ({
        ...one,
        name: cell.exposed(String(one['name'])),
      }))
      expectSame(
        'the prompts',
        listed.filter(({ name }) => expected.some((own) => own.name === name)),
        expected,
      )
      const params = { name: cell.exposed('greet'), arguments: { name: 'Ada', style: 'warmly' } }
      const { description, messages } = await cell.client.request('prompts/get', params)
      const content = { type: 'text', text: 'Greet Ada warmly.' }
      expectSame(
        'the prompt',
        { description, messages },
        { description: 'A greeting.', messages: [{ role: 'user', content }] },
      )
    },
  },
  {
    name: 'completion',
    title: 'Completion of prompt arguments and resource templates',
    async run(cell) {
      const values = (start: string) => ['one', 'two', 'three'].map((end) => `${start}-${end}`)
      const prompt = { type: 'ref/prompt', name: cell.exposed('greet') }
      expectSame('the prompt', await complete(cell, prompt, 'p'), { values: values('p'), total: 3, hasMore: false })
      const template = { type: 'ref/resource', uri: cell.uri('item/{id}') }
      expectSame('the template', await complete(cell, template, 't'), { values: values('t'), total: 3, hasMore: false })
    },
  },
  {
    name: 'completion-context',
    title: 'Completion with the arguments chosen before',
    needs: [introduced('The context of a completion', '2025-06-18')],
    async run(cell) {
      const ref = { type: 'ref/prompt', name: cell.exposed('greet') }
      const completion = await complete(cell, ref, 'c', { context: { arguments: { name: '+Ada' } } })
      expectSame('the values', (completion as { values: string[] }).values[0], 'c-one+Ada')
    },
  },
  { name: 'subscriptions', title: 'Resource subscriptions: subscribe, update, unsubscribe', run: runSubscriptions },
  {
    name: 'list-changed',
    title: 'list_changed of tools, prompts and resources',
    async run(cell) {
      const stop = await cell.client.watch({ lists: true })
      await expectListChange(cell, 'tools', 'name', cell.exposed(cell.key))
      await expectListChange(cell, 'prompts', 'name', cell.exposed(cell.key))
      await expectListChange(cell, 'resources', 'uri', cell.uri(cell.key))
      await stop()
      expectSubscriptionIds(cell)
    },
  },
]

async function read(cell: Cell, uri: string): Promise<unknown> {
  return (await cell.client.request('resources/read', { uri }))['contents']
}

async function complete(cell: Cell, ref: object, value: string, rest: object = {}): Promise<unknown> {
  const name = 'type' in ref && ref.type === 'ref/prompt' ? 'style' : 'id'
  const params = { ref, argument: { name, value }, ...rest }
  return (await cell.client.request('completion/complete', params))['completion']
}

async function runSubscriptions(cell: Cell): Promise<void> {
  const { client, server, signal } = cell
  const left = cell.uri(`item/${cell.key}-left`)
  const right = cell.uri(`item/${cell.key}-right`)
  const updates = (uri: string) => client.inbox.ofMethod('notifications/resources/updated').filter(isAbout(uri)).length
  const stopLeft = await client.watch({ uris: [left] })
  const stopRight = await client.watch({ uris: [right] })
  await until(() => [left, right].every((uri) => server.journal(uri).includes('subscribe')), signal)
  await cell.call('touch', { uris: [left, right] })
  await until(() => updates(left) > 0 && updates(right) > 0, signal)
  const [content] = (await read(cell, left)) as { text: string }[]
  expectSame('the content after the update', content?.text, 'version 2')
  await stopLeft()
  await until(() => isBalanced(server.journal(left)), signal)
  const before = { left: updates(left), right: updates(right) }
  // The second update comes after the first one would have come.
  await cell.call('touch', { uris: [left, right] })
  await until(() => updates(right) > before.right, signal)
  expectSame('updates after unsubscribing', updates(left), before.left)
  await stopRight()
  await until(() => isBalanced(server.journal(right)), signal)
  expectSubscriptionIds(cell)
}

// A gateway may renew its subscription; what counts is that nothing is left of it.
function isBalanced(journal: readonly string[]): boolean {
  const count = (event: string) => journal.filter((entry) => entry === event).length
  return count('subscribe') > 0 && count('subscribe') === count('unsubscribe')
}

function isAbout(uri: string) {
  return ({ params }: WireMessage) => params?.['uri'] === uri
}

async function expectListChange(cell: Cell, kind: ListKind, field: string, name: string): Promise<void> {
  const method = `notifications/${kind}/list_changed`
  for (const action of ['add', 'remove']) {
    let heard = cell.client.inbox.ofMethod(method).length
    await cell.call('change', { kind, name: cell.key, action })
    let isThere = action === 'remove'
    // Other changes may be announced first; after its own announcement the list must be right.
    while (isThere !== (action === 'add')) {
      await until(() => cell.client.inbox.ofMethod(method).length > heard, cell.signal)
      heard = cell.client.inbox.ofMethod(method).length
      isThere = (await listAll(cell.client, `${kind}/list`, kind)).some((entry) => entry[field] === name)
    }
  }
}

/** Every notification of a modern subscription names it. */
function expectSubscriptionIds({ kind, client }: Cell): void {
  if (!isModern(kind.client)) return
  const stray = client.inbox.messages.filter(
    ({ method, params }) =>
      (method!.endsWith('/list_changed') || method === 'notifications/resources/updated') &&
      metaOf(params)[metaKeys.subscriptionId] === undefined,
  )
  expectTrue(`a notification names no subscription: ${JSON.stringify(stray[0])}`, stray.length === 0)
}

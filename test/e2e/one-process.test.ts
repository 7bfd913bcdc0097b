import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ConnectorInput } from '@herma/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTemporaryHome, type TemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'
import { askingConnector } from '../fixtures/asking-connector.ts'
import { LegacyCaller } from '../fixtures/caller/legacy-caller.ts'
import { inputOf, ModernCaller } from '../fixtures/caller/modern-caller.ts'
import { findProcesses } from '../fixtures/misbehaving/find-processes.ts'
import { createScratch, scriptedConnector, type Scratch } from '../fixtures/scripted-connector.ts'
import { serverProgram, startTestHub, stdioConnector, type TestHub } from './start-test-hub.ts'
import { textOf, type WireMessage } from './wire-client.ts'

// One process for a stdio server, whatever kinds of clients there are, until it is seen to tell them apart.

type Json = Record<string, unknown>

/** A client of either era; who can be asked for a form answers with its own name. */
interface Person {
  readonly name: string
  /** The methods of the questions that it was asked. */
  readonly asked: string[]
  call(tool: string, args?: Json): Promise<WireMessage>
}

const form = { elicitation: { form: {} } }
const kinds: readonly (readonly [name: string, era: 'legacy' | 'modern', capabilities: Json])[] = [
  ['plain', 'legacy', {}],
  ['rooted', 'legacy', { roots: { listChanged: true } }],
  ['forms', 'legacy', { ...form, roots: {} }],
  ['whole', 'modern', { sampling: { tools: {} }, elicitation: { form: {}, url: {} }, roots: {} }],
  ['newer', 'modern', { ...form, extensions: { 'com.example/x': {} } }],
]
const canAnswer = ['forms', 'whole', 'newer']
const cannotAnswer = ['plain', 'rooted']

const marker = `one-process-${randomUUID()}`
let home: TemporaryHome
let scratch: Scratch
let hub: TestHub
let people: readonly Person[]

const scriptedNames = Array.from({ length: 8 }, (_, index) => `scripted-${index}`)

beforeAll(async () => {
  ;[home, scratch] = await Promise.all([createTemporaryHome(), createScratch()])
  const folder = scratch.file(marker)
  await mkdir(folder)
  const connectors: ConnectorInput[] = [
    stdioConnector('everything', [serverProgram('everything'), 'stdio', marker]),
    stdioConnector('files', [serverProgram('filesystem'), folder]),
    stdioConnector('memory', [serverProgram('memory'), marker], {
      env: [{ name: 'MEMORY_FILE_PATH', value: join(folder, 'memory.json') }],
    }),
    withMarker(askingConnector('asking')),
    ...scriptedNames.map((name) => withMarker(scriptedConnector(name, scratch.file(name)))),
  ]
  hub = await startTestHub({ configHome: home.path, stateHome: join(home.path, 'state'), connectors })
  people = await meetAll()
})

afterAll(async () => {
  await hub?.stop()
  await Promise.all([home?.remove(), scratch?.[Symbol.asyncDispose]()])
})

function withMarker(connector: ConnectorInput): ConnectorInput {
  return { ...connector, args: [...(connector.args ?? []), marker] }
}

function meetAll(): Promise<Person[]> {
  return Promise.all(kinds.map(([name, era, can]) => (era === 'legacy' ? meetLegacy : meetModern)(name, can)))
}

async function meetLegacy(name: string, capabilities: Json): Promise<Person> {
  const asked: string[] = []
  const caller = await LegacyCaller.connect(hub.endpoint, {
    capabilities,
    answering: ({ method }) => {
      asked.push(method)
      return method === 'roots/list' ? { roots: [] } : accept(name)
    },
  })
  return { name, asked, call: (tool, args) => caller.call(tool, args) }
}

async function meetModern(name: string, capabilities: Json): Promise<Person> {
  const asked: string[] = []
  const caller = new ModernCaller(hub.endpoint, capabilities)
  return {
    name,
    asked,
    async call(tool, args) {
      const answer = await caller.call(tool, args)
      if (answer.result?.['resultType'] !== 'input_required') return answer
      const { requestState, questions } = inputOf(answer)
      asked.push(...Object.values(questions).map(({ method }) => method))
      const inputResponses = Object.fromEntries(Object.keys(questions).map((key) => [key, accept(name)]))
      return caller.call(tool, args, { requestState, inputResponses })
    },
  }
}

const accept = (name: string) => ({ action: 'accept', content: { name } })

async function callText(person: Person, tool: string, args?: Json): Promise<string> {
  const message = await person.call(tool, args)
  return message.error?.message ?? textOf({ message })
}

const byName = (names: readonly string[]) => people.filter(({ name }) => names.includes(name))

async function who(person: Person): Promise<{ pid: number; told: Json }> {
  return JSON.parse(await callText(person, 'asking__who')) as { pid: number; told: Json }
}

/** What the hub says of its processes. */
async function processesOf(name: string) {
  return (await hub.health(name)).processes
}

test('twelve servers that five kinds of clients call at once are twelve processes', async () => {
  const calls: [tool: string, args: Json, text: string][] = [
    ['everything__echo', { message: 'hi' }, 'Echo: hi'],
    ['files__list_allowed_directories', {}, marker],
    ['memory__read_graph', {}, 'entities'],
    ['asking__who', {}, 'legacy'],
    ...scriptedNames.map((name): [string, Json, string] => [`${name}__echo`, { text: name }, name]),
  ]
  expect(calls).toHaveLength(12)
  await Promise.all(
    people.flatMap((person) =>
      calls.map(async ([tool, args, text]) => expect(await callText(person, tool, args)).toContain(text)),
    ),
  )
  expect(findProcesses(marker)).toHaveLength(12)
  expect(await processesOf('memory')).toMatchObject([{ reason: 'for all clients' }])
})

describe('a server that asks', () => {
  test('asks the client whose call it is, and one that cannot answer gives the error of the protocol', async () => {
    const [plain, ...others] = [...byName(['plain']), ...byName(canAnswer)]
    for (const person of others) expect(await callText(person, 'asking__ask')).toBe(`accept ${person.name}`)
    expect(findProcesses(marker)).toHaveLength(12)
    expect(await callText(plain!, 'asking__ask')).toMatch(/does not support \{"elicitation":\{"form":\{\}\}\}/)
    for (const { name, asked } of people) expect(asked).toEqual(canAnswer.includes(name) ? ['elicitation/create'] : [])
  })

  test('has one more process from then on, for the clients that cannot answer, and is told so', async () => {
    const { pid } = await who(byName(['whole'])[0]!)
    for (const person of byName(canAnswer)) expect(await who(person)).toMatchObject({ pid, told: { elicitation: {} } })
    const [plain, rooted] = [await who(byName(['plain'])[0]!), await who(byName(['rooted'])[0]!)]
    expect(plain.pid).not.toBe(pid)
    expect(rooted.pid).toBe(plain.pid)
    expect(plain.told['elicitation']).toBeUndefined()
    expect(findProcesses(marker)).toHaveLength(13)
    const processes = await processesOf('asking')
    expect(processes.map(({ processId }) => processId)).toEqual([pid, plain.pid])
    expect(processes.map(({ reason }) => reason)).toEqual([
      'for all other clients',
      'for clients without elicitation, which the server asks for',
    ])
  })

  test('still asks those who can answer, each for its own call', async () => {
    for (const person of byName(canAnswer)) {
      const before = person.asked.length
      expect(await callText(person, 'asking__ask')).toBe(`accept ${person.name}`)
      expect(person.asked).toHaveLength(before + 1)
    }
    for (const person of byName(cannotAnswer)) expect(person.asked).toEqual([])
  })
})

test('a server whose tools depend on its client has a process for each kind of client once that is seen', async () => {
  const [plain, rooted, whole] = byName(['plain', 'rooted', 'whole'])
  const params = { prompt: 'hi', maxTokens: 7 }
  const before = await callText(plain!, 'everything__trigger-sampling-request', params)
  expect(before).toMatch(/does not support \{"sampling":\{\}\}/)
  expect(await callText(plain!, 'everything__trigger-sampling-request', params)).toMatch(/not found/)
  expect(await callText(rooted!, 'everything__echo', { message: 'hi' })).toBe('Echo: hi')
  expect(await callText(whole!, 'everything__echo', { message: 'hi' })).toBe('Echo: hi')
  const reasons = (await processesOf('everything')).map(({ reason }) => reason).join('\n')
  expect(reasons).toContain('for clients that can do nothing, because its tools depend on it')
  expect(reasons).toContain('for clients that can do roots, because its tools depend on it')
})

test('what was seen is remembered over a restart of the hub', async () => {
  await hub.stop()
  expect(findProcesses(marker)).toEqual([])
  hub = await startTestHub({ configHome: home.path, stateHome: join(home.path, 'state') })
  people = await meetAll()
  const [plain, whole] = byName(['plain', 'whole'])
  const [one, other] = [await who(whole!), await who(plain!)]
  expect(other.pid).not.toBe(one.pid)
  expect(other.told['elicitation']).toBeUndefined()
  expect(findProcesses(marker)).toHaveLength(2)
})

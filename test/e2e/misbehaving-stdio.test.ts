import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { ConnectorInput, ConnectorView, LogLine, TestReport } from '@herma/contract'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findProcesses } from '../fixtures/misbehaving/find-processes.ts'
import { RawClient, type LegacyConnection } from '../fixtures/misbehaving/raw-client.ts'
import { startTestHub, stdioConnector, waitFor, type TestHub } from './start-test-hub.ts'

const program = fileURLToPath(new URL('../fixtures/misbehaving/stdio-server.mjs', import.meta.url))
// Stands in the command line of every server of this file.
const marker = `misbehaving-${randomUUID()}`
// One failure is enough to see it; a rest keeps the machine quiet.
const options = { maxRestarts: 0, handshakeTimeoutMs: 20_000 }

let hub: TestHub
let client: RawClient
let connection: LegacyConnection

beforeAll(async () => {
  hub = await startTestHub({ connectors: [stdioConnector('good', [program, 'well', marker])] })
  client = new RawClient(hub.endpoint)
  connection = await client.connect()
})

afterAll(async () => {
  await hub.stop()
  if (findProcesses(marker).length > 0) throw new Error('the hub left a server running')
})

afterEach(async () => {
  await hub.api('DELETE', '/api/connectors/bad')
  await goodAlone()
})

/** Resolves when the good server is the only one that runs. */
function goodAlone(): Promise<true> {
  return waitFor(() => (findProcesses(marker).length === 1 ? true : undefined))
}

/** Adds the server and waits until it has started, or failed to. */
async function addBad(mode: string, rest: Partial<ConnectorInput> = {}): Promise<ConnectorView> {
  await hub.add(stdioConnector('bad', [program, mode, marker], { options, ...rest }))
  return waitFor(async () => {
    const bad = await view()
    return bad.health.state === 'starting' ? undefined : bad
  })
}

async function view(): Promise<ConnectorView> {
  return (await hub.api('GET', '/api/connectors/bad')).body as ConnectorView
}

async function logs(): Promise<string> {
  const { lines } = (await hub.api('GET', '/api/connectors/bad/logs')).body as { lines: LogLine[] }
  return lines.map(({ text }) => text).join('\n')
}

async function report(tool?: string): Promise<TestReport> {
  return (await hub.api('POST', '/api/connectors/bad/test', tool === undefined ? {} : { tool })).body as TestReport
}

async function callGood(): Promise<void> {
  const { message } = await client.callTool('good__echo', { text: 'meanwhile' })
  expect(message.result?.content?.[0]?.text).toBe('meanwhile')
}

async function callBad(tool: string): Promise<{ text: string | undefined; error: string | undefined }> {
  const [legacy] = await Promise.all([connection.request('tools/call', { name: `bad__${tool}` }), callGood()])
  const { result, error } = legacy.message
  return { text: result?.content?.[0]?.text, error: error?.message }
}

describe('a server that does not start', () => {
  const cases: [string, string, RegExp][] = [
    ['exits at once', 'exit', /^'bad' exited with code 3\. See: herma logs bad$/],
    ['crashes at once', 'crash', /^'bad' exited with code 1\. See: herma logs bad$/],
    [
      'answers with an unknown revision',
      'wrong-revision',
      /^'bad' answered initialize with revision 1\.0; Herma speaks /,
    ],
    [
      'prints lines without end',
      'flood-lines',
      /^'bad' was stopped: it wrote more than \d+ bytes that are no messages/,
    ],
    [
      'prints braces without end',
      'flood-braces',
      /^'bad' was stopped: it wrote more than \d+ bytes that are no messages/,
    ],
    ['prints blank lines without end', 'flood-blank', /^'bad' was stopped: it wrote more than \d+ bytes that are no/],
    ['prints one line without end', 'flood-without-end', /^'bad' was stopped: it wrote a line that is no message of/],
  ]

  test.each(cases)('because it %s shows why, and the others keep serving', async (_, mode, reason) => {
    const [bad] = await Promise.all([addBad(mode), callGood()])
    expect(bad.health.lastError?.message).toMatch(reason)
    expect(bad.health.state).toBe('failed')
    const [tested] = await Promise.all([report(), callGood()])
    expect(tested.ok).toBe(false)
    expect(tested.stages.find(({ outcome }) => outcome === 'failed')?.name).toBe('handshake')
    expect(tested.stages.at(-1)).toMatchObject({ name: 'list', outcome: 'skipped' })
    expect(tested.cause).toMatch(reason)
    expect(tested.fix).toContain('herma logs bad')
  })

  test('because it hangs shows how long it was given', async () => {
    const bad = await addBad('hang', { options: { ...options, handshakeTimeoutMs: 500 } })
    expect(bad.health.lastError?.message).toMatch(/^'bad' did not answer \S+ within \d+ ms\.$/)
    await callGood()
    const tested = await report()
    expect(tested).toMatchObject({ ok: false, cause: expect.stringMatching(/within \d+ ms/) })
  })

  test('because there is no such command says so', async () => {
    const bad = await hub.add(stdioConnector('bad', [], { cmd: '/no/such/command', options }))
    expect(bad.health.lastError?.message).toMatch(/^'bad' did not start: .*\/no\/such\/command/)
    const tested = await report()
    expect(tested.stages[0]).toMatchObject({ name: 'resolve', outcome: 'failed' })
    expect(tested.cause).toContain("The command '/no/such/command' was not found")
    expect(tested.fix).toContain('herma edit bad')
  })

  test('because its folder is missing says so', async () => {
    const bad = await addBad('well', { workingDir: '/no/such/folder' })
    expect(bad.health.lastError?.message).toContain('/no/such/folder')
    expect((await report()).cause).toBe('The working directory /no/such/folder is not a folder.')
  })

  test('is shown with what it wrote', async () => {
    await addBad('exit')
    expect(await logs()).toContain('this server cannot start')
    expect((await report()).stderr).toContain('this server cannot start')
  })

  test('is tried again, up to its limit', async () => {
    await addBad('exit', { options: { ...options, maxRestarts: 2 } })
    const bad = await waitFor(async () => {
      const now = await view()
      return now.health.state === 'failed' ? now : undefined
    })
    expect(bad.health.retryAt).not.toBeNull()
    await callGood()
  })
})

describe('a server that prints garbage between its messages', () => {
  test('is served all the same, and what it printed is shown', async () => {
    const bad = await addBad('garbage')
    expect(bad.health.state).toBe('ready')
    const { message } = await connection.request('tools/call', { name: 'bad__echo', arguments: { text: 'clear' } })
    expect(message.result?.content?.[0]?.text).toBe('clear')
    const shown = await logs()
    expect(shown).toContain('Welcome to a server with a banner')
    expect(shown).toContain('something else than JSON-RPC')
  })
})

describe('a call', () => {
  test.each([
    ['silent', 'never answers'],
    ['wrong-id', 'answers another id'],
    ['text-id', 'answers the id as text'],
  ])('of a tool (%s) that %s ends with a clear error', async (tool) => {
    await addBad('well', { options: { ...options, requestTimeoutMs: 300, maxRequestMs: 1000 } })
    const { error } = await callBad(tool)
    // It answers pings, so that it is waited for until the last limit.
    expect(error).toBe("'bad' did not finish within 1000 ms. The call may have run.")
    expect((await view()).health.lastError?.message).toBe(error)
    expect((await callBad('twice')).text).toBe('good')
  })

  test('that is answered twice has one answer, and the second is noted', async () => {
    await addBad('well')
    expect((await callBad('twice')).text).toBe('good')
    expect((await callBad('twice')).text).toBe('good')
    await waitFor(async () => ((await logs()).includes('ignored an answer to the unknown id') ? true : undefined))
  })

  test('that is answered with JSON that was cut off ends at once with a clear error', async () => {
    await addBad('well')
    expect((await callBad('cut-json')).error).toMatch(/^'bad' did not answer in JSON: .* The call may have run\.$/)
    expect((await view()).health.lastError?.message).toMatch(/^'bad' did not answer in JSON/)
    expect((await report('cut-json')).stages.at(-1)).toMatchObject({ name: 'call', outcome: 'failed' })
  })

  test.each(['invalid-json', 'invalid-json-last'])(
    'that is answered with broken JSON (%s) breaks that answer only',
    async (tool) => {
      await addBad('well')
      const { text, headers } = await connection.request('tools/call', { name: `bad__${tool}` })
      // Such an answer passes unread, as every answer does; its client sees that it is broken.
      expect(headers['content-type']).toBe('application/json')
      expect(() => JSON.parse(text) as unknown).toThrow('JSON')
      expect((await callBad('twice')).text).toBe('good')
    },
  )

  test('that is answered with a deep nesting passes, since nobody writes the answer again', async () => {
    await addBad('well')
    expect(await callBad('deep')).toEqual({ text: undefined, error: undefined })
  })

  test('that is answered with 50 MB ends with a clear error that says how to allow it', async () => {
    await addBad('well', { options: { ...options, maxRestarts: 5 } })
    const { error } = await callBad('large')
    expect(error).toMatch(/^'bad' sent 50\d{6} bytes in one message, more than 16777216\. .*maxMessageBytes/)
    expect((await view()).health).toMatchObject({ restartCount: 0, lastError: { message: error } })
    expect((await callBad('twice')).text).toBe('good')
  })

  test('that is answered with 50 MB passes when that is allowed', async () => {
    await addBad('well', { options: { ...options, maxMessageBytes: 100_000_000 } })
    expect((await callBad('large')).text?.length).toBe(50_000_000)
  })

  test('during which the server crashes ends with a clear error, and the next one starts it again', async () => {
    await addBad('well', { options: { ...options, maxRestarts: 5 } })
    expect((await callBad('crash-in-the-middle')).error).toBe("'bad' exited with code 7. See: herma logs bad")
    expect((await callBad('twice')).text).toBe('good')
    expect((await view()).health.restartCount).toBe(1)
  })

  test('that is the last thing that a server answers has its answer', async () => {
    await addBad('well', { options: { ...options, maxRestarts: 5 } })
    for (let round = 0; round < 5; round++) {
      expect((await callBad('answer-and-exit')).text).toBe('good')
      // The next call must not meet the process on its way out.
      await waitFor(async () => ((await view()).health.state === 'ready' ? undefined : true))
    }
  })

  test('with messages of unknown kinds before its answer is answered', async () => {
    await addBad('well')
    expect((await callBad('odd-notifications')).text).toBe('good')
    expect((await callBad('odd-notifications')).text).toBe('good')
  })

  test('to a server that does not read its input is refused before it fills the memory', async () => {
    await addBad('well', { options: { ...options, requestTimeoutMs: 1500 } })
    expect((await callBad('deaf')).text).toBe('good')
    const text = 'x'.repeat(2_000_000)
    const calls = Array.from({ length: 40 }, () => client.callTool('bad__echo', { text }))
    const errors = (await Promise.all([...calls, callGood()])).flatMap((answer) => answer?.message.error?.message ?? [])
    expect(errors).toHaveLength(40)
    expect(errors).toContainEqual(expect.stringMatching(/^'bad' does not read its input: \d+ bytes wait\.$/))
    expect(errors).toContainEqual("'bad' was silent for 1500 ms. The call may have run.")
  })
})

describe('a list of tools', () => {
  async function names(): Promise<string[]> {
    const found: string[] = []
    for (let cursor: unknown; ;) {
      const { message } = await connection.request('tools/list', cursor === undefined ? {} : { cursor })
      const { tools, nextCursor } = message.result as unknown as { tools: { name: string }[]; nextCursor?: string }
      found.push(...tools.map(({ name }) => name).filter((name) => name.startsWith('bad__')))
      if (nextCursor === undefined) return found
      cursor = nextCursor
    }
  }

  test.each([
    ['endless-pages', 1001],
    ['same-page', 2],
  ])('that never ends (%s) is cut off, and that is noted', async (mode, count) => {
    await addBad(mode)
    await waitFor(async () => ((await view()).counts.tools === count ? true : undefined))
    expect(await logs()).toContain('the answers to tools/list do not end')
    await callGood()
  })

  test('without names is reduced to what can be called, and the rest is noted', async () => {
    await addBad('nameless')
    await waitFor(async () => ((await names()).length > 0 ? true : undefined))
    expect(await names()).toEqual(['bad__good'])
    expect((await logs()).match(/left an entry of tools\/list out: it has no name/g)).toHaveLength(6)
  })

  test('with the same name twice has a name for each, and that is reported', async () => {
    await addBad('duplicates')
    await waitFor(async () => ((await names()).length > 0 ? true : undefined))
    expect(await names()).toEqual(['bad__same', expect.stringMatching(/^bad__same_[0-9a-f]{6}$/)])
    const { body } = await hub.api('GET', '/api/tools')
    expect((body as { collisions: unknown[] }).collisions).toContainEqual(
      expect.objectContaining({ kind: 'tool', wanted: 'bad__same', loser: 'bad' }),
    )
  })

  test('with 10,000 tools is listed in full', async () => {
    await addBad('many')
    await waitFor(async () => ((await view()).counts.tools === 10_000 ? true : undefined))
    expect(new Set(await names()).size).toBe(10_000)
    await callGood()
  })

  test('that is none leaves the other lists alone and shows why', async () => {
    await addBad('no-list')
    await waitFor(async () => ((await view()).counts.prompts === 1 ? true : undefined))
    expect((await view()).health.lastError?.message).toBe("'bad' answered tools/list without a list of tools.")
    const tested = await report()
    expect(tested.stages.at(-1)).toMatchObject({ name: 'list', outcome: 'failed' })
  })

  test('that is nested too deep leaves the other lists alone and shows why', async () => {
    await addBad('deep-list')
    await waitFor(async () => ((await view()).counts.prompts === 1 ? true : undefined))
    expect((await view()).health.lastError?.message).toMatch(/^'bad' did not answer tools\/list: .*nested deeper/)
    await callGood()
  })

  test('with names that every object has leads to those tools', async () => {
    await addBad('odd-names')
    await waitFor(async () => ((await names()).length > 0 ? true : undefined))
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect((await callBad(name)).error).toBe(`Unknown tool: ${name}`)
    }
  })
})

test('a server that ignores every request to leave is ended with its connector', async () => {
  await addBad('stubborn')
  expect(findProcesses(marker)).toHaveLength(2)
  await Promise.all([hub.api('DELETE', '/api/connectors/bad'), callGood()])
  await goodAlone()
})

import { access, chmod, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findProcesses } from '../../fixtures/misbehaving/find-processes.ts'
import { createScratch, isAlive, type Scratch } from '../../fixtures/scripted-connector.ts'
import { serverProgram, stdioConnector, waitFor } from '../start-test-hub.ts'
import { obey, obeySampling, wishing } from './obedient-model.ts'
import { startTeamHub, succeed, type EraOfClient, type TeamHub } from './start-team-hub.ts'

let place: TeamHub
let scratch: Scratch
const eras: readonly EraOfClient[] = ['legacy', 'auto']
/** Under a path of its own, by which the processes of this file are found. */
let agent: string

beforeAll(async () => {
  place = await startTeamHub()
  scratch = await createScratch()
  agent = scratch.file('agent.mjs')
  await symlink(fileURLToPath(new URL('../../fixtures/fake-agent-cli/agent.mjs', import.meta.url)), agent)
  const { hub, llm, addSession } = place
  llm.script = obey
  await hub.add(stdioConnector('web', [serverProgram('everything')]))
  await addSession({ name: 'borrower', provider: 'sampling' })
  await addSession({
    name: 'careful',
    provider: 'openai',
    model: 'gpt-x',
    baseUrl: llm.baseUrl('openai'),
    tools: { approval: 'writes' },
  })
  await succeed(hub, 'POST', '/api/bindings', { session: 'borrower', connector: 'web', allowedTools: ['echo'] })
  await succeed(hub, 'POST', '/api/bindings', { session: 'careful', connector: 'web', allowedTools: ['toggle-*'] })
  for (const dialect of ['codex', 'claude'] as const) {
    const program = scratch.file(dialect)
    await writeFile(program, `#!/bin/sh\nexec ${process.execPath} ${agent} "$@"\n`)
    await chmod(program, 0o755)
    await addSession({ name: dialect, provider: 'command', command: { dialect, cmd: program } })
  }
})
afterAll(async () => {
  await place?.[Symbol.asyncDispose]()
  await scratch?.[Symbol.asyncDispose]()
})

const pathOf = (session: string) => `/api/mcp/sessions/${session}/stream`
const inWorkspace = (path: string) => join(place.workspace, path)
const write = (path: string, text: string) => ({ name: 'write_file', arguments: { path, text } })

/** A client that lends its model. */
async function connectLender(era: EraOfClient, sampling: object) {
  const client = await place.connect(pathOf('borrower'), era, { sampling })
  const asked: { tools?: { name: string }[]; systemPrompt?: string }[] = []
  client.setRequestHandler('sampling/createMessage', ({ params }) => {
    asked.push(params)
    return obeySampling(params.messages)
  })
  return { client, asked }
}

describe.each(eras)('a session with the model of its client, of era %s,', (era) => {
  test('lets it use tools and write files', async () => {
    const { client, asked } = await connectLender(era, { tools: {} })
    const toolCalls = [write(`src/lent-${era}.js`, 'lent\n'), { name: 'web__echo', arguments: { message: 'far' } }]
    const spec = wishing('Lend.', { text: 'They said:', toolCalls })
    const made = await client.callTool({ name: 'code.generate', arguments: { spec } })
    expect(made.structuredContent, JSON.stringify(made)).toMatchObject({
      committed: true,
      summary: expect.stringContaining('Echo: far'),
    })
    expect(await readFile(inWorkspace(`src/lent-${era}.js`), 'utf8')).toBe('lent\n')
    expect(asked).toHaveLength(2)
    expect(asked[0]!.tools!.map(({ name }) => name)).toEqual(expect.arrayContaining(['write_file', 'web__echo']))
    expect(made._meta).toMatchObject({ 'herma/work': { route: 'sampling' } })
  })

  test('gets advice without tools, and says that it cannot write', async () => {
    const { client, asked } = await connectLender(era, {})
    const question = wishing('Advise.', { text: 'Be brief.' })
    const advised = await client.callTool({ name: 'code.advice', arguments: { question } })
    expect(advised.structuredContent, JSON.stringify(advised)).toMatchObject({ advice: 'Be brief.' })
    expect(asked[0]!.tools).toBeUndefined()
    const refused = await client.callTool({ name: 'code.generate', arguments: { spec: 'Write.' } })
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('sampling.tools') }] })
  })

  test('says so to a client that lends none, and to one whose person refuses', async () => {
    const poor = await place.connect(pathOf('borrower'), era)
    const refused = await poor.callTool({ name: 'code.advice', arguments: { question: 'Hm?' } })
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('`sampling`') }] })
    const stingy = await place.connect(pathOf('borrower'), era, { sampling: {} })
    stingy.setRequestHandler('sampling/createMessage', () => {
      throw Object.assign(new Error('User rejected sampling request'), { code: -1 })
    })
    const failed = await stingy.callTool({ name: 'code.advice', arguments: { question: 'Hm?' } }).then(
      (result) => JSON.stringify(result),
      (error: unknown) => String(error),
    )
    expect(failed).toMatch(/refused|rejected/)
  })
})

describe.each(eras)('a session that has to ask a person at a client of era %s', (era) => {
  const person = async (answers: object) => {
    const client = await place.connect(pathOf('careful'), era, { elicitation: { form: {} } })
    const asked: string[] = []
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(/'([\w-]+)' with/.exec(params.message)![1]!)
      return answers as never
    })
    return { client, asked }
  }
  const generate = (client: Client, file: string) =>
    client.callTool({
      name: 'code.generate',
      arguments: {
        spec: wishing('Ask.', {
          text: 'It said:',
          toolCalls: [write(file, 'asked\n'), { name: 'web__toggle-simulated-logging', arguments: {} }],
        }),
      },
    })

  test('uses the tool and commits when it is allowed', async () => {
    const { client, asked } = await person({ action: 'accept', content: { allow: true } })
    const made = await generate(client, `src/allowed-${era}.js`)
    expect(made.structuredContent, JSON.stringify(made)).toMatchObject({ committed: true })
    expect(asked).toEqual(['web__toggle-simulated-logging', 'commit_changes'])
    expect(await readFile(inWorkspace(`src/allowed-${era}.js`), 'utf8')).toBe('asked\n')
  })

  test.each([
    ['says no', { action: 'accept', content: { allow: false } }],
    ['declines', { action: 'decline' }],
    ['cancels', { action: 'cancel' }],
  ])('leaves everything as it is when the person %s', async (how, answer) => {
    const { client } = await person(answer)
    const file = `src/refused-${era}-${how.replace(' ', '-')}.js`
    const made = await generate(client, file)
    expect(made.structuredContent, JSON.stringify(made)).toMatchObject({
      committed: false,
      summary: expect.stringMatching(/refused|not allowed|denied/),
    })
    await expect(access(inWorkspace(file))).rejects.toThrow('ENOENT')
  })

  test('writes nothing when nobody can be asked', async () => {
    const client = await place.connect(pathOf('careful'), era)
    const made = await generate(client, `src/alone-${era}.js`)
    expect(made.structuredContent, JSON.stringify(made)).toMatchObject({ committed: false })
    await expect(access(inWorkspace(`src/alone-${era}.js`))).rejects.toThrow('ENOENT')
  })
})

describe.each(['codex', 'claude'])('a session with the agent CLI %s', (dialect) => {
  const generate = (client: Client, wish: object, signal?: AbortSignal) =>
    client.callTool(
      { name: 'code.generate', arguments: { spec: `Work.\n#fake ${JSON.stringify(wish)}` } },
      { ...(signal !== undefined && { signal }) },
    )
  /** Nothing of the agent is left, and no copy of the workspace. */
  const expectGone = async () => {
    await waitFor(() => (findProcesses(agent).length === 0 ? true : undefined))
    const copies = join(place.hub.stateHome, 'working-copies')
    await waitFor(async () => ((await readdir(copies)).length === 0 ? true : undefined))
  }

  test('commits what it wrote when it succeeds', async () => {
    const client = await place.connect(pathOf(dialect), 'auto')
    const messages: string[] = []
    const files = { [`src/${dialect}.js`]: 'by an agent\n', 'src/folder/deep.js': `${dialect}\n` }
    const made = await client.callTool(
      { name: 'code.generate', arguments: { spec: `Work.\n#fake ${JSON.stringify({ files, say: 'All written.' })}` } },
      { onprogress: ({ message }) => void messages.push(message ?? '') },
    )
    expect(made.structuredContent, JSON.stringify(made)).toMatchObject({
      committed: true,
      summary: 'All written.',
      usage: { output_tokens: 20 },
    })
    expect(messages.join('')).toContain('All written.')
    expect(await readFile(inWorkspace('src/folder/deep.js'), 'utf8')).toBe(`${dialect}\n`)
    await expectGone()
  })

  test('leaves nothing when it crashes, or writes what is denied', async () => {
    const client = await place.connect(pathOf(dialect), 'legacy')
    const crashed = await generate(client, { files: { 'src/crashed.js': 'x' }, crash: 3, stderr: 'out of tokens' })
    expect(crashed).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('out of tokens') }] })
    const denied = await generate(client, { files: { '.env': 'x', 'src/beside.js': 'x' } })
    expect(denied, JSON.stringify(denied)).toMatchObject({ isError: true })
    for (const path of ['src/crashed.js', '.env', 'src/beside.js'])
      await expect(access(inWorkspace(path)), path).rejects.toThrow('ENOENT')
    await expectGone()
  })

  test('is ended with all of its processes by a cancel, and leaves nothing', async () => {
    const client = await place.connect(pathOf(dialect), 'auto')
    const marker = scratch.file(`${dialect}.pid`)
    const controller = new AbortController()
    const wish = { files: { 'src/cancelled.js': 'x' }, grandchild: marker, hang: true, isDeaf: true }
    const call = generate(client, wish, controller.signal).catch((error: unknown) => error)
    const pid = await waitFor(async () => Number(await readFile(marker, 'utf8').catch(() => '')) || undefined)
    controller.abort()
    await call
    await expectGone()
    await waitFor(() => (isAlive(pid) ? undefined : true))
    await expect(access(inWorkspace('src/cancelled.js'))).rejects.toThrow('ENOENT')
  })
})

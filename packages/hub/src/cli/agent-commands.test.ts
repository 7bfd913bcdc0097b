import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  BindingView,
  ChatEvent,
  PathVerdict,
  SessionTest,
  SessionView,
  TeamDecision,
  TeamView,
  ThreadDetail,
  ThreadPage,
} from '@herma/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { startAgentHub, type AgentHub } from './testing/start-agent-hub.ts'

const key = 'sk-test-0123456789abcdef'

let hub: AgentHub
let project: string

beforeAll(async () => {
  hub = await startAgentHub()
  project = hub.project
  await herma(['add', 'remote', hub.remoteUrl])
  await herma(['session', 'add', 'coder', ...openai(), '--dir', project, '--key', '-'], `${key}\n`)
})

afterAll(() => hub.stop())

const openai = () => ['--provider', 'openai', '--model', 'fake', '--base-url', hub.fake.baseUrl('openai')]
const herma = (words: string[], input?: string) => hub.herma(words, input)
const hermaJson: AgentHub['hermaJson'] = (schema, words) => hub.hermaJson(schema, words)

function eventsIn(out: string): ChatEvent[] {
  const lines = out.split('\n').filter((line) => line !== '')
  return lines.map((line) => ChatEvent.parse(JSON.parse(line)))
}

test('a session is added with its key from standard input, tested, changed, switched off and removed', async () => {
  const add = ['session', 'add', 'helper', ...openai(), '--key', '-', '--instructions', '@@home', '--deny', '*.pem']
  const added = await herma([...add, '--root', project, '--limit', 'maxSteps=7', '--price', 'in=1,out=2'], `${key}\n`)
  expect(added).toMatchObject({ exitCode: 0, out: expect.stringContaining("Added 'helper'.") as string })
  expect(added.error).toContain("Stored its key as the secret 'OPENAI_API_KEY'. It is used by session coder, too.")
  const shown = await hermaJson(SessionView, ['session', 'show', 'helper'])
  expect(shown).toMatchObject({
    instructions: '@home',
    keySecret: null,
    hasKey: true,
    paths: { roots: [project], denied: ['*.pem'] },
    limits: { maxSteps: 7, maxParallelTools: 4 },
    pricing: { inputPerMillion: 1, outputPerMillion: 2 },
  })
  expect((await hermaJson(SessionTest, ['session', 'test', 'helper'])).ok).toBe(true)
  const list = await herma(['session'])
  expect(list.out).toMatch(/helper +healthy +openai +fake/)

  const edit = ['session', 'edit', 'helper', '--name', 'aide', '--approval', 'writes', '--tool-allow', 'a*', '--clear']
  await herma([...edit, 'price', '--route', 'search.web=remote.echo(text={query})', '--temperature', '0.5'])
  const edited = await hermaJson(SessionView, ['session', 'show', 'aide'])
  expect(edited).toMatchObject({
    pricing: null,
    temperature: 0.5,
    tools: { approval: 'writes', allow: ['a*'], catalog: false },
    limits: { maxSteps: 7 },
    routes: [{ abilities: ['search.web'], use: { connector: 'remote', tool: 'echo', arguments: { text: '{query}' } } }],
  })
  await herma(['session', 'disable', 'aide'])
  expect((await herma(['chat', 'aide', 'hi'])).error).toContain('herma session enable aide')
  expect((await herma(['session', 'enable', 'aide'])).out).toBe("Enabled 'aide'.\n")
  expect((await herma(['session', 'remove', 'aide'])).exitCode).toBe(0)
  expect((await herma(['session', 'show', 'aide'])).exitCode).toBe(4)
  expect(JSON.stringify([added, shown, list, edited])).not.toContain(key)
})

test('a local agent is added by its command, and changed without losing the rest of it', async () => {
  await herma(['session', 'add', 'local', '--dir', project, '--env', 'MODE=a', '--', './agent', '--say', '{prompt}'])
  const local = await hermaJson(SessionView, ['session', 'show', 'local'])
  expect(local).toMatchObject({ provider: 'command', workingDir: project })
  expect(local.command).toEqual({
    dialect: 'text',
    cmd: join(process.cwd(), 'agent'),
    args: ['--say', '{prompt}'],
    env: { MODE: 'a' },
  })
  await herma(['session', 'edit', 'local', '--env', 'LEVEL=2'])
  expect((await hermaJson(SessionView, ['session', 'show', 'local'])).command).toEqual({
    ...local.command,
    env: { MODE: 'a', LEVEL: '2' },
  })
  await herma(['session', 'edit', 'local', '--command', 'codex'])
  expect((await hermaJson(SessionView, ['session', 'show', 'local'])).command).toEqual({
    dialect: 'codex',
    env: { MODE: 'a', LEVEL: '2' },
  })
  await herma(['session', 'remove', 'local'])
})

test.each([
  ['no provider', ['add', 'x'], 'herma session add x --provider openai'],
  ['a key on the command line', ['add', 'x', '--provider', 'openai', '--key', 'sk-oops'], '--key-file FILE'],
  ['a key where there is none', ['add', 'x', '--provider', 'sampling', '--key', '-'], 'sampling has no key'],
  ['an unknown limit', ['edit', 'coder', '--limit', 'maxStep=3'], 'Did you mean maxSteps?'],
  ['half a price', ['edit', 'coder', '--price', 'in=3'], 'in=DOLLARS,out=DOLLARS'],
  ['a route without a tool', ['edit', 'coder', '--route', 'search.web=remote'], 'CONNECTOR.TOOL'],
  ['an ability that nobody has', ['edit', 'coder', '--ability', 'code.magic'], 'abilities'],
  ['a field that is given and cleared', ['edit', 'coder', '--dir', '.', '--clear', 'dir'], 'given and cleared'],
  ['nothing', ['edit', 'coder'], 'Nothing to change'],
  ['a folder that is not there', ['edit', 'coder', '--dir', '/nowhere/at/all'], 'workingDir'],
])('%s is refused with what to do instead', async (_, words, hint) => {
  const { exitCode, error } = await herma(['session', ...words])
  expect({ exitCode, error }).toEqual({ exitCode: 2, error: expect.stringContaining(hint) as string })
  expect(error).not.toContain('sk-oops')
})

test('a connector is bound with what differs; every value says its source and secrets stay hidden', async () => {
  const bind = ['session', 'bind', 'coder', 'remote']
  expect(
    (await herma([...bind, '--tool', 'echo', '--header', 'X-Token=@-', '--option', 'requestTimeoutMs=9000'], 'hush'))
      .exitCode,
  ).toBe(0)
  // What is not mentioned stays.
  await herma([...bind, '--header', 'X-Team=a'])
  const binding = await hermaJson(BindingView, ['session', 'bindings', 'coder', 'remote'])
  expect(binding).toMatchObject({
    hasOwnDownstream: true,
    tools: ['remote__echo'],
    options: { requestTimeoutMs: 9000 },
  })
  expect(binding.effective).toEqual(
    expect.arrayContaining([
      { field: 'headers.X-Token', value: null, secret: true, source: 'binding' },
      { field: 'headers.X-Team', value: 'a', secret: false, source: 'binding' },
      { field: 'allowedTools', value: ['echo'], secret: false, source: 'binding' },
    ]),
  )
  const text = (await herma(['session', 'bindings', 'coder', 'remote'])).out
  expect(text).toMatch(/headers\.X-Token +\(secret\) +binding/)
  expect(text + JSON.stringify(binding)).not.toContain('hush')
  await herma([...bind, '--clear', 'tool', '--remove-header', 'x-token'])
  const cleared = await hermaJson(BindingView, ['session', 'bindings', 'coder', 'remote'])
  expect(cleared).toMatchObject({ tools: ['remote__echo', 'remote__shout'], headers: [{ name: 'X-Team' }] })
  expect((await herma(['session', 'bindings'])).out).toMatch(/coder +remote +on +2 tools +its own/)

  expect((await herma(['chat', 'coder', 'use echo {"text": "hey"}'])).error).toMatch(
    /✓ remote__echo \{"text":"hey"\} {2}\d+ ms/,
  )
  expect((await herma(['session', 'unbind', 'coder', 'remote'])).exitCode).toBe(0)
  expect(await herma(['session', 'bindings', 'coder', 'remote'])).toMatchObject({
    exitCode: 4,
    error: expect.stringContaining('herma session bind coder remote') as string,
  })
})

test('a path is judged with the reason', async () => {
  expect(await hermaJson(PathVerdict, ['session', 'path', 'coder', 'a.txt'])).toMatchObject({
    allowed: true,
    root: project,
  })
  const refused = await herma(['session', 'path', 'coder', '/etc/passwd'])
  expect(refused).toMatchObject({ exitCode: 1, out: expect.stringContaining(`outside of ${project}`) as string })
})

test('one thing is said: a pipe gets the answer alone, a program every event', async () => {
  expect(await herma(['chat', 'coder', 'hello', 'there'])).toMatchObject({
    exitCode: 0,
    out: 'You said: hello there\n',
  })
  expect((await herma(['chat', 'coder', '-c', 'Review:', '-'], 'a diff')).out).toBe('You said: Review:\n\na diff\n')
  expect((await herma(['chat', 'coder'], 'piped')).out).toBe('You said: piped\n')
  const { out } = await herma(['chat', 'coder', 'hi', '--json'])
  const events = eventsIn(out)
  expect([events[0]?.type, events.at(-1)?.type]).toEqual(['begin', 'done'])

  const { threads } = await hermaJson(ThreadPage, ['session', 'threads', 'coder', '-n', '3'])
  expect(threads.map(({ title, messageCount }) => [title, messageCount])).toEqual([
    ['hi', 2],
    ['piped', 2],
    ['hello there', 4],
  ])
  const id = threads[2]!.id
  expect((await herma(['session', 'thread', 'coder', id])).out).toMatch(
    /user .*\nhello there\n\nassistant .*\nYou said: hello there\n/,
  )
  await herma(['session', 'thread', 'coder', id, '--title', 'Hello'])
  expect(await hermaJson(ThreadDetail, ['session', 'thread', 'coder', id])).toMatchObject({ title: 'Hello' })
  expect((await herma(['session', 'thread', 'coder', id, '--follow'])).error).toContain('Nothing is under way')
  await herma(['session', 'thread', 'coder', id, '--remove'])
  expect((await herma(['chat', 'coder', '--thread', id, 'more'])).error).toContain('herma session threads coder')
})

test('a turn that fails ends with its reason and leaves no empty thread', async () => {
  const before = await hermaJson(ThreadPage, ['session', 'threads', 'coder'])
  const failed = await herma(['chat', 'coder', 'please fail'])
  expect(failed).toMatchObject({
    exitCode: 5,
    error: expect.stringContaining('herma secret set OPENAI_API_KEY') as string,
  })
  const machine = await herma(['chat', 'coder', 'please fail', '--json'])
  expect(machine.exitCode).toBe(5)
  expect(eventsIn(machine.out).at(-1)).toMatchObject({ type: 'error' })
  expect(await hermaJson(ThreadPage, ['session', 'threads', 'coder'])).toEqual(before)
  expect((await herma(['chat', 'nobody', 'hi'])).exitCode).toBe(4)
  expect((await herma(['chat', 'coder'])).error).toContain("herma chat coder 'TEXT'")
})

test('a signal cancels the turn down to the provider', async () => {
  const aborted = hub.fake.aborted
  const turn = herma(['chat', 'coder', 'wait'])
  await hub.told('wait')
  process.emit('SIGHUP')
  expect(await turn).toMatchObject({ exitCode: 1, error: expect.stringContaining('Cancelled.') as string })
  await hub.fake.until(() => hub.fake.aborted > aborted)
})

test('a turn under way is followed from its begin, and cancelled from elsewhere', async () => {
  await herma(['chat', 'coder', 'hello'])
  const { threads } = await hermaJson(ThreadPage, ['session', 'threads', 'coder', '-n', '1'])
  const thread = threads[0]!.id
  const turn = herma(['chat', 'coder', '--thread', thread, 'now wait'])
  await hub.told('now wait')
  expect((await herma(['chat', 'coder', '--thread', thread, 'and?'])).error).toContain('still at work')
  const followed = hub.begin(['session', 'thread', 'coder', thread, '--follow', '--json'])
  await expect.poll(() => eventsIn(followed.written.out)[0]?.type, { timeout: 20_000 }).toBe('begin')
  await herma(['session', 'thread', 'coder', thread, '--cancel'])
  expect(await followed.end).toBe(5)
  expect(eventsIn(followed.written.out).at(-1)).toMatchObject({ type: 'error' })
  expect(await turn).toMatchObject({ exitCode: 5, error: expect.stringContaining('cancelled') as string })
})

test('changes that want an approval are not written unless a person, or --yes, allows them', async () => {
  await herma(['session', 'edit', 'coder', '--approval', 'writes'])
  const words = (name: string) => ['chat', 'coder', `use write_file {"path": "${name}", "text": "hi"}`]
  const refused = await herma(words('refused.txt'))
  expect(refused.error).toContain("'commit_changes' is not called: it needs an approval")
  await expect(readFile(join(project, 'refused.txt'))).rejects.toThrow('ENOENT')
  await herma([...words('allowed.txt'), '--yes'])
  expect(await readFile(join(project, 'allowed.txt'), 'utf8')).toBe('hi')
})

test('a person talks: text streams, tools take a line, approvals are asked, Ctrl-C cancels and then leaves', async () => {
  const person = hub.sitDown(['chat', 'coder'])
  await person.type('hello\r', '> ')
  await person.type('two\rlines\r', '> ')
  await person.type('use write_file {"path": "one.txt", "text": "1"}\r', '> ')
  await person.type('s\r', '[N]o: ')
  await person.type('/diff\r', '> ')
  await person.type('use write_file {"path": "two.txt", "text": "2"}\r', '> ')
  await person.type('/nonsense\r', '> ')
  await person.type('please fail\r', '> ')
  await person.type('wait\r', '> ')
  await hub.told('wait')
  await person.type('\u0003', '')
  await person.type('/threads\r', '> ')
  await person.type('\u0003', '> ')
  await person.type('\u0003', 'leaves.')
  expect(await person.end).toBe(0)
  const { out, error } = person.written
  expect(out).toContain('You said: hello\n')
  expect(out).toContain('You said: two\nlines\n')
  expect(out).toContain('+++ b/one.txt\n@@ -0,0 +1,1 @@\n+1\n')
  expect(out).toMatch(/ {2}\d+ +- +hello\n/)
  expect(error).toMatch(/✓ write_file \{"path":"one\.txt","text":"1"\} {2}\d+ ms\n/)
  expect(error.match(/Allow it\?/g)).toHaveLength(1)
  expect(error).toContain('There is no /nonsense.')
  expect(error).toContain('refused the key')
  expect(error).toContain('Cancelled. Nothing of it is kept.')
  expect(await readFile(join(project, 'two.txt'), 'utf8')).toBe('2')
})

test('a second Ctrl-C leaves at once, and the end of the input does, too', async () => {
  const person = hub.sitDown(['chat', 'coder'])
  await person.type('please wait\r', '> ')
  await hub.told('please wait')
  await person.type('\u0003\u0003', '')
  expect(await person.end).toBe(0)
  const other = hub.sitDown(['chat', 'coder'])
  await other.type('\u0004', '> ')
  expect(await other.end).toBe(0)
})

test('a team is made, ordered, ruled, asked who would answer and why, tested and removed', async () => {
  await herma([
    'session',
    'add',
    'planner',
    '--provider',
    'openai-compatible',
    '--model',
    'fake',
    '--base-url',
    hub.fake.baseUrl('openai-compatible'),
  ])
  expect((await herma(['team', 'add', 'alpha', '--member', 'coder'])).error).toContain('SESSION:ROLE')
  await herma(['team', 'add', 'alpha', '--member', 'coder:code', '--hops', '4', '--queue', '0', '--deadline', '60'])
  expect((await herma(['team', 'member', 'add', 'alpha', 'planner'])).error).toContain('--role code')
  await herma(['team', 'member', 'add', 'alpha', 'planner', '--role', 'planner', '--concurrency', '2'])
  await herma(['team', 'member', 'edit', 'alpha', 'planner', '--no-concurrency', '--disable'])
  const member = (await hermaJson(TeamView, ['team', 'show', 'alpha'])).members[1]
  expect(member).toMatchObject({ session: 'planner', enabled: false, maxConcurrency: null })
  await herma(['team', 'member', 'edit', 'alpha', 'planner', '--enable'])
  await herma(['team', 'order', 'alpha', 'planner'])
  expect((await herma(['team', 'rule', 'alpha', 'generate_cod', '--prefer', 'x'])).error).toContain(
    'Did you mean generate_code?',
  )
  await herma(['team', 'rule', 'alpha', 'generate_code', '--prefer', 'openai', '--fallback', 'anthropic,planner'])
  await herma(['team', 'rule', 'alpha', 'plan_task', '--prefer', 'coder'])
  await herma(['team', 'rule', 'alpha', 'plan_task', '--clear'])
  await herma(['team', 'dispatch', 'alpha', 'on', '--allow', 'code.*'])
  expect(await hermaJson(TeamView, ['team', 'show', 'alpha'])).toMatchObject({
    hopLimit: 4,
    maxQueue: 0,
    deadlineMs: 60_000,
    dispatch: { enabled: true, allow: ['code.*'] },
    routing: { 'team.generate_code': { prefer: ['openai'], fallback: ['anthropic', 'planner'] } },
  })
  expect((await herma(['team'])).out).toMatch(/alpha +on +planner:planner coder:code +0 \+ 0 +http/)

  const Decisions = z.object({ decisions: z.array(TeamDecision) })
  const { decisions } = await hermaJson(Decisions, ['team', 'who', 'alpha', 'generate_code'])
  expect(decisions).toMatchObject([{ tool: 'team.generate_code', chosen: 'coder' }])
  const who = (await herma(['team', 'who', 'alpha'])).out
  expect(who).toMatch(/team\.generate_code \(role code\): coder\n {2}1\. coder: preferred as 'openai'/)
  expect(who).toContain('team.run_tests (role test): nobody')
  expect((await herma(['team', 'calls', 'alpha'])).out).toBe('It works on nothing, and nothing waits.\n')
  expect((await herma(['team', 'path', 'alpha', 'a.txt'])).error).toContain('herma team edit alpha --dir DIR')
  await herma(['team', 'edit', 'alpha', '--dir', tmpdir()])
  expect((await herma(['team', 'path', 'alpha', 'a.txt'])).out).toContain('May be read and written')
  const refused = await herma(['team', 'path', 'alpha', '.env'])
  expect(refused).toMatchObject({ exitCode: 1, out: expect.stringContaining("the denied glob '.env*'") as string })
  expect((await herma(['server', 'tools', 'alpha'])).out).toMatch(/team\.dispatch +\d+ /)

  const call = ['--tool', 'search_web', '--arguments', '{"query": "x"}']
  expect((await hermaJson(SessionTest, ['team', 'test', 'alpha'])).stages.map(({ ok }) => ok)).toEqual([
    true,
    true,
    true,
  ])
  const tried = await herma(['team', 'test', 'alpha', ...call])
  expect(tried).toMatchObject({ exitCode: 5, out: expect.stringContaining('Fix: ') as string })
  expect((await herma(['session', 'remove', 'coder'])).error).toContain('herma team member remove alpha coder')
  await herma(['team', 'disable', 'alpha'])
  expect((await herma(['team', 'test', 'alpha'])).out).toContain('herma team enable alpha')
  await herma(['team', 'member', 'remove', 'alpha', 'coder'])
  expect((await herma(['team', 'remove', 'alpha'])).exitCode).toBe(0)
  expect((await herma(['team', 'show', 'alpha'])).exitCode).toBe(4)
})

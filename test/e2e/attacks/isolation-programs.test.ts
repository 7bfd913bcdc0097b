import { open, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ConnectorView } from '@herma/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stdioConnector, waitFor } from '../start-test-hub.ts'
import { startAgentsHub, type AgentsHub } from './start-agents-hub.ts'
import { waysToTheState } from './ways-to-the-state.ts'

const canary = 'canary-of-the-hub-77b0'

let place: AgentsHub
let state: string
let token: string
/** A script of a shell; whatever a program is told to do, it does this. */
let burglary: string

/** Tools, an agent and tests, each started by the hub in its own way; all do what the burglar says, and tell what they saw. */
const programs = [
  { kind: 'custom tool', run: async () => (await place.call('/mcp', { tool: 'burglar' })).text },
  {
    kind: 'agent CLI',
    run: async () => (await place.call(streamOf('agent'), { tool: 'code.generate', args: { spec: 'Look.' } })).text,
  },
  { kind: 'test of a session', run: async () => (await place.call(streamOf('tester'), { tool: 'tests.run' })).text },
]

const streamOf = (session: string) => `/api/mcp/sessions/${session}/stream`

beforeAll(async () => {
  process.env['HERMA_CANARY_SECRET'] = canary
  place = await startAgentsHub()
  state = await realpath(place.hub.stateHome)
  token = (await readFile(join(state, 'operator-token'), 'utf8')).trim()
  burglary = join(place.outside, 'burglary.sh')
  const command = { command: '/bin/sh', inputMode: 'none', timeout: 60 }
  const tools = [
    { ...command, name: 'burglar', args: [burglary] },
    { ...command, name: 'friend', args: [burglary], isolation: 'none' },
    { ...command, name: 'lodger', args: ['-c', 'echo y > "$HERMA_STATE_HOME/kept" && ls -A "{{HERMA_STATE_HOME}}"'] },
    { ...command, name: 'unread', command: '{{HERMA_CONFIG_HOME}}/unread.sh' },
    { ...command, name: 'absent', command: 'no-such-program' },
    { ...command, name: 'inside', args: ['-c', 'pwd'], cwd: join(state, 'postgres') },
  ]
  const configHome = dirname(place.hub.stateHome)
  await writeFile(join(configHome, 'unread.sh'), '#!/nowhere/shell\n', { mode: 0o755 })
  await writeFile(join(configHome, 'custom_tools.json'), JSON.stringify({ tools }))
  await place.addSession({
    name: 'agent',
    provider: 'command',
    model: '',
    command: { dialect: 'text', cmd: '/bin/sh', args: [burglary] },
  })
  await place.addSession({ name: 'tester' })
  await place.hub.add(stdioConnector('plain', ['-e', '']))
  const look = `import test from 'node:test'
import { spawnSync } from 'node:child_process'
test('looks', () => console.log(spawnSync('/bin/sh', [${JSON.stringify(burglary)}], { encoding: 'utf8' }).stdout))
`
  await writeFile(join(place.workspace, 'look.test.js'), look)
  await waitFor(async () => ((await see('echo here')).every((text) => text.includes('here')) ? true : undefined))
})
afterAll(async () => {
  await place[Symbol.asyncDispose]()
  delete process.env['HERMA_CANARY_SECRET']
})

async function see(script: string, { kinds = programs } = {}): Promise<string[]> {
  await writeFile(burglary, `{ ${script}\n} 2>&1\nexit 0\n`)
  const seen: string[] = []
  for (const { run } of kinds) seen.push(await run())
  return seen
}

/** Where the machine gives no way, a connector says so; and this says loudly that nothing was proved. */
async function isHidden(): Promise<boolean> {
  const { body } = await place.hub.api('GET', '/api/connectors/plain')
  const { isolated, open: shown } = (body as ConnectorView).touches!
  if (isolated.some((line) => line.startsWith('the state of the hub'))) return true
  process.stderr.write(`COULD NOT RUN: that programs do not see the state of the hub, because ${shown[0]}\n`)
  return false
}

describe.runIf(process.platform === 'linux')('what the hub runs besides servers', () => {
  test.each(programs)(
    'a $kind reads neither token nor key nor database, on whichever way',
    async ({ kind, run }) => {
      // Whoever is not isolated can: else this would prove nothing.
      await see(`cat '${state}/operator-token'`, { kinds: [] })
      expect((await place.call('/mcp', { tool: 'friend' })).text).toContain(token)
      if (!(await isHidden())) return
      const kinds = [{ kind, run }]
      const files = ['operator-token', 'key', 'postgres/data/postgresql.conf', 'hub.json'].map(
        (name) => `'${state}/${name}'`,
      )
      const count = `found=0; for each in ${files.join(' ')}; do test -e "$each" && found=$((found + 1)); done; echo "found $found"`
      expect((await see(count, { kinds }))[0]).toContain('found 0')
      for (const script of waysToTheState(state)) {
        const [text] = await see(script, { kinds })
        for (const secret of [token, canary, 'postgresql.conf']) expect(text, script).not.toContain(secret)
      }
    },
    240_000,
  )

  test('they find no variable of the hub, and nothing that it has open', async () => {
    await using _file = await open(join(state, 'open-in-the-hub'), 'w')
    const texts = await see('env; ls -l /proc/self/fd; echo looked')
    for (const text of texts) {
      expect(text).toContain('looked')
      expect(text).not.toContain(canary)
      expect(text).not.toContain('open-in-the-hub')
    }
    await rm(join(state, 'open-in-the-hub'))
  })

  test('a custom tool keeps files in a folder of the state home, which is all that it sees of it', async () => {
    const { text } = await place.call('/mcp', { tool: 'lodger' })
    expect(text).toContain('kept')
    expect(await readFile(join(state, 'tool-files/kept'), 'utf8')).toBe('y\n')
    if (!(await isHidden())) return
    const [listed] = await see(`echo "[$(ls -A '${state}')]"`, { kinds: programs.slice(0, 1) })
    expect(listed).toContain('[tool-files]')
  })

  test('a custom tool that does not start says why, as if nothing stood before it', async () => {
    expect((await place.call('/mcp', { tool: 'unread' })).text).toContain('its first line names an interpreter')
    expect((await place.call('/mcp', { tool: 'absent' })).text).toContain(
      "there is no 'no-such-program' in the folders",
    )
  })

  test('a custom tool that works in the state home is refused, with the next step', async () => {
    if (!(await isHidden())) return
    const { text, isError } = await place.call('/mcp', { tool: 'inside' })
    expect(isError).toBe(true)
    expect(text).toMatch(/it works in \S+postgres, which is in the state home and so hidden from it\..*isolation.*none/)
  })
})

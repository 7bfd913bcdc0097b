import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { captureTerminal } from '../../packages/hub/src/cli/capture-terminal.ts'
import { runCli } from '../../packages/hub/src/cli/run-cli.ts'
import { operatorTokenFile } from '../../packages/hub/src/platform/file/homes.ts'
import { startOAuthServer } from '../fixtures/start-oauth-server.ts'
import { startPlainServer } from '../fixtures/start-plain-server.ts'
import { startProtectedServer } from '../fixtures/start-protected-server.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'

let hub: TestHub
beforeAll(async () => {
  hub = await startTestHub()
})
afterAll(() => hub?.stop())

const where = () => ['--hub', hub.url, '--token-file', join(hub.stateHome, operatorTokenFile)]

async function herma(...args: string[]) {
  const { terminal, written } = captureTerminal()
  const code = await runCli([...args, ...where()], terminal)
  return { code, output: written.out, error: written.error }
}

test('login shows the page, waits for the person, and logout forgets', async () => {
  await using oauth = await startOAuthServer()
  await using server = await startProtectedServer(oauth, 'modern')
  const added = await herma('add', 'vault', server.url)
  expect(added).toMatchObject({ code: 5, output: expect.stringContaining('Sign in: herma login vault') })

  const { terminal, written } = captureTerminal()
  const login = runCli(['login', 'vault', ...where()], terminal)
  const page = await waitFor(() => /http\S+authorize\S+/.exec(written.error)?.[0])
  const sent = await fetch(page, { redirect: 'manual' })
  await fetch(sent.headers.get('location')!)
  expect(await login).toBe(0)
  // Whether its tools are known by then is a matter of moments.
  expect(written.out).toMatch(/^Signed in to 'vault'\. (It offers 3 tools\. List them|Test it): herma/)
  expect((await herma('show', 'vault')).output).toContain(`yes, ${oauth.issuer}, use`)

  expect(await herma('logout', 'vault')).toMatchObject({ code: 0 })
  expect((await herma('show', 'vault')).output).toContain('Sign in: herma login vault')
})

test('login as a client of its own needs no page', async () => {
  await using oauth = await startOAuthServer({ clients: { robot: 'robot-secret' } })
  await using server = await startProtectedServer(oauth, 'modern')
  const settings = ['grant=client_credentials', 'clientId=robot', 'clientSecret=robot-secret']
  const added = await herma('add', 'robot', server.url, ...settings.flatMap((pair) => ['--oauth', pair]))
  expect(added).toMatchObject({ code: 0, output: expect.stringContaining('It offers 3 tools') })
  expect(await herma('login', 'robot')).toMatchObject({ code: 0 })
  const { output } = await herma('show', 'robot')
  expect(output).toContain('clientSecret=(secret, stored)')
  expect(output).not.toContain('robot-secret')
})

test('credentials of one’s own are set, counted and forgotten, and never shown', async () => {
  await using server = await startPlainServer()
  const added = await herma('add', 'own', `${server.origin}/rpc`, '--transport', 'http', '--personal-header', 'X-Key')
  expect(added.error + added.output).toContain('wants X-Key of yours. Run: herma credentials set own')
  expect(server.requests).toEqual([])
  expect((await herma('show', 'own')).output).toContain(`X-Key=(everybody's own)`)
  expect(await herma('credentials', 'set', 'own')).toMatchObject({
    code: 2,
    error: expect.stringContaining('herma credentials set own --header X-Key=@FILE'),
  })
  const file = join(hub.stateHome, 'key.txt')
  await writeFile(file, 'my-secret-key\n')
  const stored = await herma('credentials', 'set', 'own', '--header', `X-Key=@${file}`)
  expect(stored).toMatchObject({ code: 0, output: expect.stringContaining('X-Key: stored') })
  expect(await herma('call', 'own__echo', '--json', '{"text":"hi"}')).toMatchObject({ code: 0 })
  expect(server.requests.every(({ headers }) => headers['x-key'] === 'my-secret-key')).toBe(true)
  expect((await herma('credentials', 'who', 'own', '--json')).output).toContain('"operator"')
  const shown = await Promise.all([herma('credentials', 'show', 'own'), herma('show', 'own'), herma('logs', 'own')])
  expect(JSON.stringify([stored, shown])).not.toContain('my-secret-key')
  expect(await herma('credentials', 'clear', 'own')).toMatchObject({ code: 0 })
  expect((await herma('credentials', 'show', 'own')).output).toContain('X-Key: not set')
})

test('the tools of a slow server can be called as soon as credentials of one’s own are stored', async () => {
  await using server = await startPlainServer({ listAfterMs: 700 })
  const place = [`${server.origin}/rpc`, '--transport', 'http', '--personal-header', 'X-Key', '--no-test']
  const file = join(hub.stateHome, 'slow-key.txt')
  await writeFile(file, 'my-slow-key\n')
  const store = (name: string) => herma('credentials', 'set', name, '--header', `X-Key=@${file}`)

  await herma('add', 'slow', ...place)
  expect(await store('slow')).toMatchObject({ code: 0 })
  expect((await hub.api('GET', '/api/connectors/slow')).body).toMatchObject({ counts: { tools: 1 } })

  // Others do not wait for the command; their calls wait for the look at the server that it leads to.
  await herma('add', 'slower', ...place)
  const before = server.requests.length
  const stored = store('slower')
  await waitFor(() => server.requests.length > before || undefined)
  expect(await herma('call', 'slower__echo', '--json', '{"text":"hi"}')).toMatchObject({ code: 0 })
  expect(await stored).toMatchObject({ code: 0 })
})

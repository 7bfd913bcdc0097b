import { expect, test } from 'vitest'
import { captureTerminal } from '../../packages/hub/src/cli/capture-terminal.ts'
import { runCli } from '../../packages/hub/src/cli/run-cli.ts'
import { startOAuthServer } from '../fixtures/start-oauth-server.ts'
import { startProtectedServer } from '../fixtures/start-protected-server.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'

async function herma(hub: TestHub, ...args: string[]) {
  const { terminal, written } = captureTerminal()
  const code = await runCli([...args, '--hub', hub.url], terminal)
  return { code, output: written.out }
}

test('login shows the page, waits for the person, and logout forgets', async () => {
  await using oauth = await startOAuthServer()
  await using server = await startProtectedServer(oauth, 'modern')
  await using hub = await startTestHub()
  const added = await herma(hub, 'add', 'vault', server.url)
  expect(added).toMatchObject({ code: 5, output: expect.stringContaining('Sign in: herma login vault') })

  const { terminal, written } = captureTerminal()
  const login = runCli(['login', 'vault', '--hub', hub.url], terminal)
  const page = await waitFor(() => /http\S+authorize\S+/.exec(written.error)?.[0])
  const sent = await fetch(page, { redirect: 'manual' })
  await fetch(sent.headers.get('location')!)
  expect(await login).toBe(0)
  // Whether its tools are known by then is a matter of moments.
  expect(written.out).toMatch(/^Signed in to 'vault'\. (It offers 3 tools\. List them|Test it): herma/)
  expect((await herma(hub, 'show', 'vault')).output).toContain(`yes, ${oauth.issuer}, use`)

  expect(await herma(hub, 'logout', 'vault')).toMatchObject({ code: 0 })
  expect((await herma(hub, 'show', 'vault')).output).toContain('Sign in: herma login vault')
})

test('login as a client of its own needs no page', async () => {
  await using oauth = await startOAuthServer({ clients: { robot: 'robot-secret' } })
  await using server = await startProtectedServer(oauth, 'modern')
  await using hub = await startTestHub()
  const settings = ['grant=client_credentials', 'clientId=robot', 'clientSecret=robot-secret']
  const added = await herma(hub, 'add', 'vault', server.url, ...settings.flatMap((pair) => ['--oauth', pair]))
  expect(added).toMatchObject({ code: 0, output: expect.stringContaining('It offers 3 tools') })
  expect(await herma(hub, 'login', 'vault')).toMatchObject({ code: 0 })
  const { output } = await herma(hub, 'show', 'vault')
  expect(output).toContain('clientSecret=(secret, stored)')
  expect(output).not.toContain('robot-secret')
})

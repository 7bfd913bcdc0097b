import { authPath } from '../../../packages/hub/src/access/authority/resource/metadata.ts'
import { OAuthClient } from '../../../packages/hub/src/access/authority/testing/oauth-client.ts'
import { TestBrowser } from '../../../packages/hub/src/access/authority/testing/test-browser.ts'
import { operatorHeaders } from '../../e2e/operator-headers.ts'
import { chooseScenarios } from './choose-scenarios.ts'
import { withCleanup } from './cleanup.ts'
import type { Suite } from './install-suite.ts'
import { judgeChecks } from './judge-checks.ts'
import type { AuthorizationLeg } from './legs.ts'
import type { Options } from './options.ts'
import type { Column } from './print-table.ts'
import { findFreePort, startHub, type TestedHub } from './start-hub.ts'
import { openSuite } from './suite-process.ts'

const user = { name: 'ada', password: 'correct horse battery' }

/** Runs the suite against the hub's own authorization server. A browser without a screen does what a person would. */
export async function runAuthorizationLeg(suite: Suite, leg: AuthorizationLeg, options: Options): Promise<Column> {
  const { name, revision } = leg
  const { scenarios, notYet } = await chooseScenarios(suite, leg, options.scenarios)
  if (scenarios.length === 0) return { name, results: [], notYet }
  return withCleanup(async (defer) => {
    const hub = await startHub(options.source, defer)
    const port = await findFreePort()
    const clientId = await prepare(hub, port)
    const suiteProcess = await openSuite(suite, defer)
    const browser = new TestBrowser(hub.url)
    let visit = Promise.resolve()
    // Always all of them: what one scenario finds out, the next one uses.
    // Without a public URL the root belongs to the facade, which asks nobody for a login.
    const { lastLines } = await suiteProcess.run(
      [
        'authorization',
        '--url',
        hub.url + authPath,
        '--client-id',
        clientId,
        '--port',
        String(port),
        '--spec-version',
        revision,
      ],
      {
        onLine: (line) => {
          if (!line.startsWith(`${hub.url}/auth/oauth2/authorize?`)) return
          visit = allow(browser, line)
          // It is awaited below, when the suite has given up on it.
          visit.catch(() => {})
        },
      },
    )
    await visit
    const results = scenarios.map(async (scenario) => {
      const left = await suiteProcess.readResults(`authorization-server-${scenario}`)
      return judgeChecks(scenario, left?.checks, { lastLines })
    })
    return { name, results: await Promise.all(results), notYet }
  })
}

/** Adds a user with a password, and a client that is answered at this port. */
async function prepare(hub: TestedHub, port: number): Promise<string> {
  const send = async (method: string, path: string, body: object) => {
    const headers = { ...(await operatorHeaders(hub.stateHome)), 'content-type': 'application/json' }
    const response = await fetch(hub.url + path, { method, headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
    const answer: unknown = await response.json()
    return answer
  }
  await send('PATCH', '/api/access/settings', { registration: true })
  const added = await send('POST', '/api/access/users', { name: user.name })
  const { setup } = added as { setup: { url: string; code: string } }
  const browser = new TestBrowser(hub.url)
  await browser.open(setup.url)
  await browser.submit({ code: setup.code, password: user.password, again: user.password })
  const client = new OAuthClient(hub.url)
  await client.register({ redirect_uris: [`http://127.0.0.1:${port}/callback`] })
  return client.clientId
}

async function allow(browser: TestBrowser, url: string): Promise<void> {
  await browser.open(url)
  await browser.submit(user)
  const { url: callback } = await browser.submit({}, { button: 'decision=allow' })
  await (await fetch(callback)).text()
}

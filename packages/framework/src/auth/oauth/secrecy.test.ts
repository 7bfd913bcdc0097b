import { inspect } from 'node:util'
import { expect, test, vi } from 'vitest'
import type { Auth } from '../auth.ts'
import { bearer } from '../bearer.ts'
import { oauth } from './oauth.ts'
import { HeardEvents } from '../testing/hear-events.ts'
import { present } from '../testing/requests.ts'
import { TestIssuer } from '../testing/test-issuer.ts'

const resource = 'https://mcp.example.com/mcp'
const canary = 'zebra-token-7f3a'
const secret = 'giraffe-secret-91bc'

test('tokens and secrets show up in no answer, event, error or output', async () => {
  await using issuer = await TestIssuer.start()
  using events = new HeardEvents()
  const written: unknown[] = []
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((chunk) => written.push(chunk) > 0),
  )
  const introspection = { url: `${issuer.url}/introspect`, clientId: 'notes', clientSecret: secret }
  const crash = (token: string) => {
    throw new Error('No luck.', { cause: { detail: [`with ${token}`] } })
  }
  const auths: Auth[] = [
    oauth({ resource, issuer: issuer.url }),
    oauth({ resource, issuer: issuer.url, introspection }),
    oauth({ resource, issuer: 'https://auth.example.com', verify: crash }),
    bearer({ tokens: { ada: { token: 'other' } } }),
    bearer({ lookup: crash }),
  ]
  const jwt = await issuer.sign(resource, { exp: 1 })
  const answers: unknown[] = []
  const replies = [
    () => ({ body: { active: false } }),
    () => ({ status: 500, body: `no ${canary} ${secret}` }),
    (_request: unknown, body: string) => ({ body }),
    (_request: unknown, body: string) => ({
      body: `${new URLSearchParams(body).get('token')} is unknown here, or was revoked in the meantime`,
    }),
  ]
  for (const [index, reply] of replies.entries()) {
    issuer.replies.set('/introspect', reply)
    for (const auth of auths) {
      answers.push(
        await present(auth, `${canary}-${index}`),
        await present(auth, `${jwt}${canary}`),
        await present(auth, jwt),
      )
    }
  }
  issuer.isDown = true
  for (const auth of auths) answers.push(await present(auth, `${canary}-down`))
  for (const spy of spies) spy.mockRestore()

  expect(events.errors.length).toBeGreaterThan(0)
  const seen = inspect([answers, events.auth, events.errors, written], { depth: 20, showHidden: true })
  // A parser may quote no more than the beginning.
  for (const hidden of [canary.slice(0, 9), secret, jwt, jwt.split('.')[2] ?? jwt]) expect(seen).not.toContain(hidden)
})

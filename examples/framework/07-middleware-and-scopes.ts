// Who may do what: known tokens over HTTP, scopes of single tools, tools that only some see, and middleware.
// Serve it: TEAM_TOKEN=… READ_TOKEN=… npx tsx 07-middleware-and-scopes.ts
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { server } from '@herma/framework'
import { bearer } from '@herma/framework/auth'
import { matrix, test } from '@herma/framework/testing'
import { z } from 'zod'

const audit: string[] = []

const app = server({ name: 'garden', version: '1.0.0' })
  .tool('look', {}, () => 'Roses.')
  .tool('plant', { input: z.object({ what: z.string() }), scopes: ['garden:write'] }, ({ what }) => `Planted ${what}.`)
  .tool('burn_down', { visible: (context) => context.hasScope('garden:admin') }, () => 'Gone.')
  .use('tools/call', async (request, next, { principal }) => {
    const result = await next()
    audit.push(`${principal?.id ?? 'nobody'} called ${request.params.name}`)
    return result
  })

if (process.argv.includes('--check')) {
  await check()
} else {
  const { TEAM_TOKEN = '', READ_TOKEN = '' } = process.env
  const running = await app.http({ auth: authOf(TEAM_TOKEN, READ_TOKEN) }).listen(8787)
  process.stderr.write(`Serving on ${running.url.href}\n`)
}

function authOf(team: string, reader: string) {
  return bearer({ tokens: { team: { token: team, scopes: ['garden:write'] }, reader: { token: reader } } })
}

async function check() {
  // In memory the test says who asks; the same holds for clients of every revision.
  await matrix(
    app,
    async (t) => {
      assert.deepEqual(await t.list('tool'), ['look', 'plant'])
      await assert.rejects(t.call('plant', { what: 'an oak' }), /needs the scope garden:write/)
    },
    { principal: { id: 'reader', scopes: [] } },
  )

  // Over HTTP the token says it.
  const [team, reader] = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')]
  const http = { auth: authOf(team, reader) }
  await using gardener = await test(app, { http, headers: { authorization: `Bearer ${team}` } })
  assert.equal((await gardener.call('plant', { what: 'an oak' })).text, 'Planted an oak.')
  assert.equal(audit.at(-1), 'team called plant')

  await using guest = await test(app, { http, headers: { authorization: `Bearer ${reader}` } })
  assert.equal((await guest.call('look')).text, 'Roses.')
  await assert.rejects(guest.call('plant', { what: 'an elm' }))
  await assert.rejects(test(app, { http, headers: { authorization: 'Bearer guessed' } }))
}

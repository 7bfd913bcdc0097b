// One server out of several: another app, a server in a child process, and an HTTP API that has an OpenAPI document.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { server } from '@herma/framework'
import { openapi } from '@herma/framework/openapi'
import { remote } from '@herma/framework/remote'
import { matrix } from '@herma/framework/testing'
import { z } from 'zod'

const clock = server({ name: 'clock', version: '1.0.0' })
  .tool('zone', { input: z.object({ city: z.string() }) }, ({ city }) => (city === 'London' ? 'UTC' : 'elsewhere'))
  .tool('wind', { tags: ['internal'] }, () => 'Wound.')

const everything = remote(
  {
    command: process.execPath,
    args: [fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js')), 'stdio'],
  },
  // What it asks could be passed on to our callers; here nobody is to be asked.
  { asks: false },
)

const api = await startApi()

const document = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1.0.0' },
  servers: [{ url: api.url }],
  paths: {
    '/pets/{id}': {
      get: {
        operationId: 'getPet',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        responses: {
          200: {
            description: 'A pet.',
            content: { 'application/json': { schema: { type: 'object', properties: { name: { type: 'string' } } } } },
          },
        },
      },
    },
  },
}

const app = server({ name: 'all-in-one', version: '1.0.0' })
  .mount(clock, { namespace: 'clock', filter: ({ definition }) => definition.tags?.includes('internal') !== true })
  .mount(everything, { namespace: 'everything', filter: ({ kind, id }) => kind !== 'tool' || id === 'echo' })
  .mount(openapi(document), { namespace: 'pets' })

try {
  await (process.argv.includes('--check') ? check() : app.stdio().then(({ done }) => done))
} finally {
  // The child process is ours to end.
  await everything.stop?.()
  api.close()
}

async function check() {
  await matrix(app, async (t) => {
    assert.deepEqual(await t.list('tool'), ['clock_zone', 'everything_echo', 'pets_getPet'])
    // The tools of an app keep their types; those of a remote server and of an API are not known here.
    assert.equal((await t.call('clock_zone', { city: 'London' })).text, 'UTC')
    assert.equal((await t.callAny('everything_echo', { message: 'Hi' })).text, 'Echo: Hi')
    assert.deepEqual((await t.callAny('pets_getPet', { id: 7 })).value, { name: 'Pet 7' })
    await assert.rejects(t.callAny('clock_wind'), /Unknown tool 'clock_wind'/)
  })
}

/** Stands for an API that exists already. */
async function startApi() {
  const http = createServer((request, response) => {
    const name = `Pet ${request.url?.split('/').at(-1)}`
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ name }))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as { port: number }
  return { url: `http://127.0.0.1:${port}`, close: () => http.close() }
}

import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { ReachCheck, reachPath } from './reach-check.ts'

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test('an address that leads to this hub is told from one that leads to another', async () => {
  const [mine, other] = [new ReachCheck(), new ReachCheck()]
  await using server = await serve((request, response) => {
    const question = request.url!.slice(`${reachPath}/`.length)
    response.writeHead(mine.isAsked(question) ? 204 : 404).end()
  })
  expect(await mine.check(server.url)).toMatchObject({ url: server.url, ok: true, cause: null })
  expect(await other.check(server.url)).toMatchObject({ ok: false, cause: expect.stringContaining('status 404') })
})

test('each way to fail has its cause and its next step', async () => {
  let status = 502
  await using server = await serve((_, response) => response.writeHead(status).end())
  const check = new ReachCheck()
  expect(await check.check(server.url)).toMatchObject({ ok: false, cause: expect.stringContaining('does not reach') })
  status = 403
  expect(await check.check(server.url)).toMatchObject({ fix: expect.stringContaining('Host header') })
  status = 301
  expect(await check.check(server.url)).toMatchObject({ cause: expect.stringContaining('leads on') })
  const gone = await serve(() => {})
  await gone[Symbol.asyncDispose]()
  expect(await check.check(gone.url)).toMatchObject({ ok: false, fix: 'Start the tunnel or the proxy.' })
  await expect(check.check(null)).rejects.toThrow('no public URL')
})

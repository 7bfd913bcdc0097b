import { expect, test } from 'vitest'
import { serverProgram, startTestHub, stdioConnector } from './start-test-hub.ts'

test('a person adds a server and calls its tool through the one endpoint', async () => {
  await using hub = await startTestHub({
    connectors: [stdioConnector('everything', [serverProgram('everything'), 'stdio'])],
  })
  const client = await hub.connectV1()
  const result = await client.callTool({ name: 'everything__echo', arguments: { message: 'hello' } })
  expect(result.content).toEqual([{ type: 'text', text: 'Echo: hello' }])
})

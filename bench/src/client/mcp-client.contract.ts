import { describe, expect, onTestFinished, test } from 'vitest'
import { payloadText } from '../downstream/test-tools.ts'
import { makeClient } from './make-client.ts'
import { listToolNames, requestResult, type Dialect, type Endpoint } from './mcp-client.ts'

export interface ServedEndpoint {
  endpoint: Endpoint
  close(): Promise<void>
}

/** What every client of the load must do, run against a test server with three tools. */
export function describeMcpClient(name: string, dialect: Dialect, serve: () => Promise<ServedEndpoint>): void {
  describe(`client over ${name}`, () => {
    const open = async () => {
      const served = await serve()
      const client = makeClient(served.endpoint, dialect, 10_000)
      onTestFinished(async () => {
        await client.close()
        await served.close()
      })
      await client.open()
      return client
    }

    test('lists and calls tools', async () => {
      const client = await open()
      expect(await listToolNames(client)).toEqual(['echo', 'payload', 'tool_2'])
      const answer = await requestResult(client, 'tools/call', { name: 'echo', arguments: { text: 'ü\n"' } })
      expect(answer.content).toEqual([{ type: 'text', text: 'ü\n"' }])
    })

    test('receives a large answer whole', async () => {
      const client = await open()
      const answer = await requestResult(client, 'tools/call', { name: 'payload', arguments: { bytes: 300_000 } })
      expect(answer.content).toEqual([{ type: 'text', text: payloadText(300_000) }])
    })

    test('reports what the server answered instead of a result', async () => {
      const client = await open()
      await expect(requestResult(client, 'tools/call', { name: 'missing' })).rejects.toThrow(/missing/)
    })
  })
}

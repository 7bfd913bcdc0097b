import type { EventView } from '@herma/contract'
import { recordedCalls, type RecordedCall } from './recorded-call.ts'

/**
 * A HAR 1.2 archive with one entry per MCP request, which `herma traces replay --file` sends again. Headers are not
 * recorded, since they carry credentials; the addresses are paths of the hub.
 * http://www.softwareishard.com/blog/har-12-spec/
 */
export function toHar(events: readonly EventView[], version: string): unknown {
  const creator = { name: 'herma', version }
  return { log: { version: '1.2', creator, entries: recordedCalls(events).map(entryOf) } }
}

function entryOf(call: RecordedCall): object {
  const { event, params, response } = call
  const { server = 'facade', method, ms = 0 } = event
  const request = params && { jsonrpc: '2.0', id: response?.['id'] ?? call.id, method, params }
  const [sent, received] = [request, response].map((message) => message && JSON.stringify(message))
  return {
    startedDateTime: event.at,
    time: ms,
    request: {
      method: 'POST',
      url: `http://herma.invalid${server === 'facade' ? '/mcp' : `/api/mcp/servers/${server}/stream`}`,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [{ name: 'content-type', value: 'application/json' }],
      queryString: [],
      ...(sent === undefined ? {} : { postData: { mimeType: 'application/json', text: sent } }),
      headersSize: -1,
      bodySize: event.requestBytes ?? -1,
    },
    response: {
      status: 200,
      statusText: 'OK',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [{ name: 'content-type', value: 'application/json' }],
      content: {
        size: event.responseBytes ?? -1,
        mimeType: 'application/json',
        ...(received === undefined ? {} : { text: received }),
      },
      redirectURL: '',
      headersSize: -1,
      bodySize: event.responseBytes ?? -1,
    },
    cache: {},
    timings: { send: 0, wait: ms, receive: 0 },
    // Names of our own begin with an underscore, as the format demands.
    _herma: {
      traceId: event.traceId,
      spanId: event.spanId,
      server,
      connector: event.connector,
      method,
      target: event.target,
      principal: event.principal,
      era: event.era,
      outcome: event.outcome,
    },
  }
}

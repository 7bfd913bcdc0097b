// The bare reverse proxy as a process: bare-proxy.js PORT URL…
// `/0/…` goes to the first URL, `/1/…` to the second. It moves bytes between node:http and undici and reads none.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Pool, type Dispatcher } from 'undici'

const [port, ...urls] = process.argv.slice(2)
const downstreams = urls.map((url) => {
  const { origin, pathname } = new URL(url)
  return { path: pathname, pool: new Pool(origin, { connections: 256, pipelining: 1 }) }
})

createServer((request, response) => {
  const downstream = downstreams[Number(request.url?.split('/')[1])]
  if (!downstream) {
    response.writeHead(404).end()
    return
  }
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
    const { path, pool } = downstream
    const method = request.method as Dispatcher.HttpMethod
    pool.dispatch({ path, method, headers: forwardedHeaders(request), body }, relayTo(response))
  })
}).listen(Number(port), '127.0.0.1')

const HOP_BY_HOP = new Set(['connection', 'host', 'content-length', 'transfer-encoding', 'keep-alive'])

function forwardedHeaders(request: IncomingMessage): string[] {
  const headers: string[] = []
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index] as string
    if (!HOP_BY_HOP.has(name.toLowerCase())) headers.push(name, request.rawHeaders[index + 1] as string)
  }
  return headers
}

/** The handler form that undici 7 calls natively; the newer form is wrapped around it and costs more. */
function relayTo(response: ServerResponse): Dispatcher.DispatchHandler {
  return {
    onConnect(abort) {
      response.on('close', () => {
        if (!response.writableFinished) abort()
      })
    },
    onHeaders(status, raw, resume) {
      const headers: string[] = []
      for (let index = 0; index < raw.length; index += 2) {
        const name = String(raw[index])
        if (!HOP_BY_HOP.has(name.toLowerCase()) || name.toLowerCase() === 'content-length') {
          headers.push(name, String(raw[index + 1]))
        }
      }
      response.on('drain', resume)
      response.writeHead(status, headers)
      return true
    },
    onData: (chunk) => response.write(chunk),
    onComplete() {
      response.end()
    },
    onError(error) {
      if (response.headersSent) response.destroy(error)
      else response.writeHead(502).end(error.message)
    },
  }
}

import { readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import type { HubData } from '../src/hub/use-hub.ts'

export interface PageServer {
  readonly url: string
  /** What the API answers; null when the hub is away. */
  answer: HubData | null
  /** Whether the API knows who is asking. */
  isSignedIn: boolean
  close(): Promise<void>
}

// As strict as the hub's own policy: whatever is inlined shows up as an error in the console.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'"

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Serves a built page from a folder, and canned answers under /api. */
export async function servePage(folder: string): Promise<PageServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const handled = pathname.startsWith('/api/') ? sendAnswer(pathname, response) : sendFile(pathname, response)
    handled.catch((error: unknown) => response.destroy(error instanceof Error ? error : new Error(String(error))))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const page: PageServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    answer: null,
    isSignedIn: true,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()))
        server.closeAllConnections()
      }),
  }

  async function sendAnswer(pathname: string, response: ServerResponse) {
    const { answer } = page
    if (answer === null) return void response.destroy()
    const bodies: Record<string, unknown> = {
      '/api/status': answer.status,
      '/api/connectors': { connectors: answer.connectors },
    }
    response.setHeader('content-type', 'application/json')
    response.statusCode = !page.isSignedIn ? 401 : pathname in bodies ? 200 : 404
    response.end(JSON.stringify(bodies[pathname] ?? { error: { code: 'METHOD_NOT_FOUND', message: 'No such path.' } }))
  }

  async function sendFile(pathname: string, response: ServerResponse) {
    const path = join(folder, normalize(pathname === '/' ? '/index.html' : pathname))
    const body = await readFile(path).catch(() => null)
    response.statusCode = body === null ? 404 : 200
    response.setHeader('content-type', contentTypes[extname(path)] ?? 'application/octet-stream')
    response.setHeader('content-security-policy', policy)
    response.end(body ?? '')
  }

  return page
}

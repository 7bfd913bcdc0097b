import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join, normalize, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Serves the build of the web UI. A path without an extension is a page of it. */
export function createWebFiles(folder: string): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return void response.writeHead(405, ['Allow', 'GET, HEAD']).end()
    const path = decodePath(request.url ?? '/')
    const name = path === null || extname(path) === '' ? 'index.html' : path
    const file = join(folder, normalize(join(sep, name)))
    const found = await stat(file).catch(() => null)
    if (found === null || !found.isFile()) return notFound(response, name === 'index.html')
    const isHashed = path?.startsWith('/assets/') === true
    response.writeHead(200, {
      'Content-Type': types[extname(file)] ?? 'application/octet-stream',
      'Content-Length': found.size,
      'Cache-Control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    })
    if (request.method === 'HEAD') return void response.end()
    // A client that leaves in the middle is no error of ours.
    await pipeline(createReadStream(file), response).catch(() => undefined)
  }
}

function decodePath(url: string): string | null {
  try {
    return decodeURIComponent(url.split('?')[0]!)
  } catch {
    // A path that cannot be decoded names no file.
    return null
  }
}

function notFound(response: ServerResponse, isPage: boolean): void {
  const text = isPage ? 'The web UI is not built. Run: npm run build\n' : 'Not found\n'
  response.writeHead(404, ['Content-Type', 'text/plain; charset=utf-8', 'X-Content-Type-Options', 'nosniff']).end(text)
}

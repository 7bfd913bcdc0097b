import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join, normalize, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

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

const compress = promisify(gzip)
const compressible = new Set(['.js', '.css', '.svg'])
/** A build has some fifty files; the bound is for a folder that is not one. */
const maxCompressed = 200

/** Serves the build of the web UI. A path without an extension is a page of it. */
export function createWebFiles(folder: string): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  // Files with a hash in their name never change, so each is compressed once.
  const compressed = new Map<string, Promise<Buffer>>()
  const readCompressed = (file: string) => {
    const known = compressed.get(file)
    if (known !== undefined) return known
    const made = readFile(file).then((content) => compress(content))
    if (compressed.size < maxCompressed) compressed.set(file, made)
    made.catch(() => compressed.delete(file))
    return made
  }
  return async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return void response.writeHead(405, ['Allow', 'GET, HEAD']).end()
    const path = decodePath(request.url ?? '/')
    const name = path === null || extname(path) === '' ? 'index.html' : path
    const file = join(folder, normalize(join(sep, name)))
    const found = await stat(file).catch(() => null)
    if (found === null || !found.isFile()) return notFound(response, name === 'index.html')
    const isHashed = path?.startsWith('/assets/') === true
    const isSmall = isHashed && compressible.has(extname(file)) && acceptsGzip(request)
    const body = isSmall ? await readCompressed(file) : null
    response.writeHead(200, {
      'Content-Type': types[extname(file)] ?? 'application/octet-stream',
      'Content-Length': body?.length ?? found.size,
      ...(isHashed ? { Vary: 'Accept-Encoding' } : {}),
      ...(body === null ? {} : { 'Content-Encoding': 'gzip' }),
      'Cache-Control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    })
    if (request.method === 'HEAD') return void response.end()
    if (body !== null) return void response.end(body)
    // A client that leaves in the middle is no error of ours.
    await pipeline(createReadStream(file), response).catch(() => undefined)
  }
}

function acceptsGzip({ headers }: IncomingMessage): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?![.\d]*[1-9]))/.test(headers['accept-encoding'] ?? '')
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

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, request, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createWebFiles } from './web-files.ts'

const script = 'export const answer = 42\n'.repeat(100)
let folder: string
let port: number
let close: () => void

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'herma-web-'))
  await mkdir(join(folder, 'dist/assets'), { recursive: true })
  await writeFile(join(folder, 'secret.txt'), 'outside')
  await writeFile(join(folder, 'dist/index.html'), '<!doctype html><title>Herma</title>')
  await writeFile(join(folder, 'dist/assets/app-1.js'), script)
  await writeFile(join(folder, 'dist/theme.js'), 'x')
  const serve = createWebFiles(join(folder, 'dist'))
  const server = createServer((incoming, response) => void serve(incoming, response))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
  close = () => server.close()
})
afterAll(async () => {
  close()
  await rm(folder, { recursive: true, force: true })
})

// `fetch` would tidy up the path and unpack the body.
function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    request({ port, path, method, headers }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) }),
      )
    })
      .on('error', reject)
      .end()
  })
}

test('every page is index.html under a policy without inline scripts and styles', async () => {
  for (const path of ['/', '/connectors', '/connectors/new?x=a.b', '/%']) {
    const { status, headers, body } = await get(path)
    expect([status, String(body)]).toEqual([200, '<!doctype html><title>Herma</title>'])
    expect(headers['content-security-policy']).toMatch(/script-src 'self'; style-src 'self'/)
    expect(headers['cache-control']).toBe('no-cache')
  }
})

test('a file with a hash in its name is kept for ever, and compressed for those who can read it', async () => {
  const plain = await get('/assets/app-1.js')
  expect([String(plain.body), plain.headers['content-encoding']]).toEqual([script, undefined])
  for (const encoding of ['gzip', 'br, gzip;q=0.5', 'gzip']) {
    const { headers, body } = await get('/assets/app-1.js', { 'accept-encoding': encoding })
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
    expect(headers['cache-control']).toMatch(/immutable/)
    expect(headers['content-length']).toBe(String(body.length))
    expect(String(gunzipSync(body))).toBe(script)
  }
  expect((await get('/assets/app-1.js', { 'accept-encoding': 'gzip;q=0' })).headers['content-encoding']).toBeUndefined()
  const head = await get('/assets/app-1.js', { 'accept-encoding': 'gzip' }, 'HEAD')
  expect([head.status, head.body.length]).toEqual([200, 0])
})

test('nothing outside the folder is served, and what is not there is a plain 404', async () => {
  for (const path of ['/../secret.txt', '/assets/../../secret.txt', '/%2e%2e/secret.txt', '/assets/none.js'])
    expect(await get(path)).toMatchObject({ status: 404 })
  expect(await get('/', {}, 'POST')).toMatchObject({ status: 405 })
})

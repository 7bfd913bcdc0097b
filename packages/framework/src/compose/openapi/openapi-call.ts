import type { Context } from '../../context/context.ts'
import { ToolError } from '../../protocol/errors.ts'
import type { ApiRequest } from './openapi-request.ts'

/** Headers in any form that `fetch` takes. */
export type ApiHeaders = NonNullable<ConstructorParameters<typeof Headers>[0]>

export interface ApiSettings {
  readonly baseUrl: URL
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  readonly fetch: typeof fetch
  readonly headers: ((context: Context) => ApiHeaders | Promise<ApiHeaders>) | undefined
}

export interface ApiAnswer {
  readonly label: string
  readonly status: number
  readonly mediaType: string
  /** Where it came from, without query. */
  readonly url: string
  readonly bytes: Buffer
  /** Takes out of a text what the author's headers hold. */
  redact(text: string): string
}

const maxRedirects = 5

/** Sends a request and reads its answer, within time and size. Redirects are followed within the origin only. */
export async function callApi(request: ApiRequest, settings: ApiSettings, context: Context): Promise<ApiAnswer> {
  const own = await authorHeaders(settings, context)
  const timeout = AbortSignal.timeout(settings.timeoutMs)
  const signal = AbortSignal.any([context.signal, timeout])
  try {
    const response = await send(request, settings, { own, signal })
    const bytes = await readBody(response, settings.maxResponseBytes, request.label)
    const { origin, pathname } = new URL(response.url || urlOf(request, settings.baseUrl))
    const mediaType = response.headers.get('content-type')?.split(';')[0]!.trim().toLowerCase() ?? ''
    const { status } = response
    return { label: request.label, status, mediaType, url: origin + pathname, bytes, redact: redactor(own) }
  } catch (error) {
    if (error instanceof ToolError || context.signal.aborted) throw error
    // The error itself may quote a header, so only its kind is passed on.
    const reason = timeout.aborted ? `no answer within ${settings.timeoutMs} ms` : reasonOf(error)
    throw new ToolError(`${request.label}: the API at ${settings.baseUrl.origin} could not be reached (${reason}).`)
  }
}

async function authorHeaders({ headers }: ApiSettings, context: Context): Promise<Headers> {
  const given = await headers?.(context)
  try {
    return new Headers(given)
  } catch {
    // The original error quotes the value, which may be a secret.
    throw new Error('The option headers of openapi() returned something that is no valid header.')
  }
}

async function send(
  request: ApiRequest,
  settings: ApiSettings,
  { own, signal }: { own: Headers; signal: AbortSignal },
): Promise<Response> {
  const { baseUrl } = settings
  let url = urlOf(request, baseUrl)
  let { method, body } = request
  for (let count = 0; ; count++) {
    const headers = new Headers([...request.headers] as [string, string][])
    if (body === undefined) headers.delete('content-type')
    headers.set('accept', 'application/json, */*;q=0.8')
    own.forEach((value, name) => headers.set(name, value))
    const response = await settings.fetch(url, {
      method,
      headers,
      signal,
      redirect: 'manual',
      ...(body !== undefined && { body }),
    })
    const location = response.headers.get('location')
    if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response
    await response.body?.cancel()
    if (count >= maxRedirects)
      throw new ToolError(`${request.label}: the API redirects more than ${maxRedirects} times.`)
    url = new URL(location, url)
    if (url.origin !== baseUrl.origin) {
      throw new ToolError(
        `${request.label}: the API redirects to ${url.origin}, which is another origin; not followed.`,
      )
    }
    const becomesGet = response.status === 303 || (response.status < 303 && method === 'POST')
    if (becomesGet && method !== 'HEAD') [method, body] = ['GET', undefined]
  }
}

function urlOf({ path, query, label }: ApiRequest, baseUrl: URL): URL {
  const root = baseUrl.pathname.replace(/\/+$/, '')
  const url = new URL(baseUrl)
  url.pathname = `${root}${path.startsWith('/') ? '' : '/'}${path}`
  const search = [baseUrl.search.slice(1), query].filter((part) => part !== '').join('&')
  url.search = search
  url.hash = ''
  if (url.origin !== baseUrl.origin || !url.pathname.startsWith(root)) {
    throw new ToolError(`${label} would leave the API's base URL.`)
  }
  return url
}

async function readBody(response: Response, maxBytes: number, label: string): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength
    if (length > maxBytes) throw new ToolError(`${label}: the answer is larger than ${maxBytes} bytes. Ask for less.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function redactor(headers: Headers): (text: string) => string {
  const secrets = [...headers.values()].flatMap((value) => [value, ...value.split(/[\s,;=]+/)])
  const known = secrets.filter((value) => value.length >= 6).sort((a, b) => b.length - a.length)
  return (text) => known.reduce((rest, secret) => rest.replaceAll(secret, '[removed]'), text)
}

function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } }
  return typeof cause?.code === 'string' ? cause.code : 'the request failed'
}

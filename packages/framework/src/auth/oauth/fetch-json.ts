import { IssuerUnavailable } from '../auth-failure.ts'

export interface JsonRequest {
  /** A form to post; without one it is a GET. */
  readonly form?: URLSearchParams
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

const timeoutMs = 5_000
const maxBytes = 256 * 1024
const maxRedirects = 3

/**
 * Asks an issuer for JSON. Whatever is not a 200 with JSON of sensible size in sensible time is `IssuerUnavailable`.
 * Redirects are followed for documents, within their origin; a form carries secrets and follows none.
 */
export async function fetchJson(url: URL, { form, headers, signal }: JsonRequest = {}): Promise<unknown> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const init: RequestInit = {
    ...(form === undefined ? {} : { method: 'POST', body: form }),
    headers: { accept: 'application/json', ...headers },
    redirect: 'manual',
    signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
  }
  try {
    const response = await follow(url, init, form === undefined ? maxRedirects : 0)
    if (response.status !== 200) throw await refusedBy(response, `answered ${response.status}`)
    return JSON.parse(await readText(response)) as unknown
  } catch (cause) {
    // The query is left out: some services keep their key there.
    const where = `${url.origin}${url.pathname}`
    if (cause instanceof Answered) throw new IssuerUnavailable(`${where} ${cause.message}.`)
    // The parser quotes from the answer, which may quote the token.
    if (cause instanceof SyntaxError) throw new IssuerUnavailable(`${where} did not answer with JSON.`)
    const isLate = cause instanceof Error && cause.name === 'TimeoutError'
    throw new IssuerUnavailable(`${where} ${isLate ? 'did not answer in time' : 'could not be reached'}.`, { cause })
  }
}

/** What is wrong with an answer, as the end of a sentence that begins with the address. */
class Answered extends Error {}

async function follow(url: URL, init: RequestInit, redirectsLeft: number): Promise<Response> {
  const response = await fetch(url, init)
  const location = response.headers.get('location')
  if (response.status < 300 || response.status > 399 || location === null) return response
  const target = URL.canParse(location, url.href) ? new URL(location, url) : undefined
  if (target?.origin !== url.origin) throw await refusedBy(response, 'redirects to another origin')
  if (redirectsLeft === 0) throw await refusedBy(response, 'redirects too often')
  await response.body?.cancel()
  return follow(target, init, redirectsLeft - 1)
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength
    if (length > maxBytes) throw new Answered(`answered with more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

async function refusedBy(response: Response, reason: string): Promise<Answered> {
  await response.body?.cancel()
  return new Answered(reason)
}

/** Fetches from the outside and refuses addresses that are not public. Redirects are returned, not followed. */
export type FetchPublic = (
  url: string,
  init: { readonly signal: AbortSignal; readonly redirect: 'manual'; readonly headers: Record<string, string> },
) => Promise<Response>

export interface FetchedDocument {
  readonly text: string
  readonly freshUntil: Date
}

/** Why a document is not taken. `isTemporary` = its server could not be reached, or says that it fails itself. */
export class DocumentRefused extends Error {
  override readonly name = 'DocumentRefused'
  readonly isTemporary: boolean

  constructor(message: string, options: { isTemporary?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.isTemporary = options.isTemporary ?? false
  }
}

const timeoutMs = 5000
const maxBytes = 65_536
const minFreshS = 300
const maxFreshS = 86_400
const usualFreshS = 3600

/** Fetches a client metadata document within limits of time and size. */
export async function fetchDocument(url: string, fetchPublic: FetchPublic): Promise<FetchedDocument> {
  const signal = AbortSignal.timeout(timeoutMs)
  let response: Response
  try {
    response = await fetchPublic(url, { signal, redirect: 'manual', headers: { accept: 'application/json' } })
  } catch (cause) {
    throw new DocumentRefused('The document could not be fetched.', { isTemporary: true, cause })
  }
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new DocumentRefused(`The document answered with status ${response.status}.`, {
      isTemporary: response.status >= 500,
    })
  }
  if (!/^application\/([^;]+\+)?json\b/i.test(response.headers.get('content-type') ?? '')) {
    await response.body?.cancel()
    throw new DocumentRefused('The document is not sent as JSON.')
  }
  return { text: await readText(response), freshUntil: freshUntil(response) }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > maxBytes) throw new DocumentRefused(`The document is larger than ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function freshUntil(response: Response): Date {
  const control = response.headers.get('cache-control') ?? ''
  const asked = /\bno-(store|cache)\b/i.test(control)
    ? 0
    : Number(/\bmax-age=(\d{1,9})/i.exec(control)?.[1] ?? usualFreshS)
  return new Date(Date.now() + Math.min(maxFreshS, Math.max(minFreshS, asked)) * 1000)
}

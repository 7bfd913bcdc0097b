import { HubError } from '@herma/contract'
import { createAddressGuard, createAddressFetch, type AddressGuard } from './address-guard.ts'

export interface PublicDocument {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const maxBytes = 65_536
const timeoutMs = 5000

/**
 * Reads a small document of the public web that somebody unknown named: https only, no redirect, no private address
 * whatever the settings say, 64 kB, five seconds. Every failure is a HubError.
 */
export async function fetchPublic(url: string | URL, guard: AddressGuard = publicOnly): Promise<PublicDocument> {
  const target = URL.canParse(String(url)) ? new URL(url) : null
  if (target?.protocol !== 'https:' || target.username !== '' || target.password !== '')
    throw new HubError('ADDRESS_REFUSED', `${target?.origin ?? 'This'} is no public https address.`)
  const { fetch, close } = createAddressFetch(guard)
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(target, { redirect: 'error', signal, headers: { accept: 'application/json' } })
    return { status: response.status, headers: response.headers, text: await readLimited(response) }
  } catch (error) {
    throw error instanceof HubError ? error : unreachable(target, error)
  } finally {
    // Nobody waits for sockets to end that nobody uses any more.
    void close()
  }
}

const publicOnly = createAddressGuard(() => ({ private: 'deny', allow: [] }))

async function readLimited(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > maxBytes)
      throw new HubError('ANSWER_TOO_LARGE', `The document is larger than ${maxBytes} bytes, the limit.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function unreachable(target: URL, error: unknown): HubError {
  const cause = (error as { cause?: unknown }).cause
  if (cause instanceof HubError) return cause
  const reason = cause instanceof Error ? cause.message : (error as Error).message
  return new HubError('DOWNSTREAM_UNAVAILABLE', `${target.origin} cannot be read: ${reason}`, { cause: error })
}

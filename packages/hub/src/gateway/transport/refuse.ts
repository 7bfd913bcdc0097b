import { errorCodes, HubError } from '@herma/contract'
import type { ResponseStream } from '@herma/framework/wire'
import { storeFailure } from '../../platform/store/store-failure.ts'
import { idTextOf, isObject, isRequestId, UnreadMessage, type Message } from '../../wire/index.ts'
import { acceptedCodings } from './decompress.ts'

/** Answers an HTTP request with a JSON-RPC error and the status that belongs to it. */
export function refuse(response: ResponseStream, error: unknown, options: RefusalOptions = {}): void {
  if (response.headersSent || response.destroyed) return void response.destroy()
  const { status, headers, body } = refusalOf(error, options)
  response.writeHead(status, headers).end(body)
}

/** What `refuse` answers. */
export function refusalOf(
  error: unknown,
  options: RefusalOptions = {},
): { status: number; headers: string[]; body: string } {
  const known = toHubError(error)
  const body = `{"jsonrpc":"2.0","id":${idOf(error, options.to)},"error":${JSON.stringify(toRpcError(known))}}`
  const headers = ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body))]
  const seconds = secondsToWait(known)
  if (seconds !== null) headers.push('Retry-After', String(seconds))
  if (known.code === 'CODING_UNSUPPORTED') headers.push('Accept-Encoding', acceptedCodings)
  const status = options.status ?? errorCodes[known.code].http
  return { status, headers: [...headers, ...(options.headers ?? [])], body }
}

function secondsToWait({ code, data }: HubError): number | null {
  if (code === 'TOO_MANY_CONNECTIONS' || code === 'HUB_STOPPING') return retryAfterSeconds
  if (code !== 'RATE_LIMITED') return null
  const waitMs = isObject(data) ? Number(data['retryAfterMs']) : Number.NaN
  return Number.isFinite(waitMs) ? Math.max(1, Math.ceil(waitMs / 1000)) : retryAfterSeconds
}

/** The id of the message that is refused, as it stands in JSON. */
function idOf(error: unknown, to: Message | undefined): string {
  if (error instanceof UnreadMessage) return error.idText
  return to !== undefined && 'id' in to && isRequestId(to.id) ? idTextOf(to) : 'null'
}

interface RefusalOptions {
  /** The message that is refused, when it could be read. */
  readonly to?: Message
  readonly status?: number
  readonly headers?: readonly string[]
}

export const retryAfterSeconds = 10

export function toRpcError(error: HubError): { code: number; message: string; data?: unknown } {
  const data = error.data === undefined ? {} : { data: error.data }
  return { code: errorCodes[error.code].rpc, message: error.message, ...data }
}

export function toHubError(error: unknown): HubError {
  return error instanceof HubError
    ? error
    : (storeFailure(error) ?? new HubError('INTERNAL', 'The hub failed to handle the request.', { cause: error }))
}

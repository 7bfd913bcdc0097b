import type { ServerResponse } from 'node:http'
import { errorCodes, HubError } from '@herma/contract'

/** Answers an HTTP request with a JSON-RPC error and the status that belongs to it. */
export function refuse(response: ServerResponse, error: unknown, options: RefusalOptions = {}): void {
  if (response.headersSent || response.destroyed) return void response.destroy()
  const known = toHubError(error)
  const body = JSON.stringify({ jsonrpc: '2.0', id: options.id ?? null, error: toRpcError(known) })
  const headers = ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body))]
  if (known.code === 'TOO_MANY_CONNECTIONS') headers.push('Retry-After', String(retryAfterSeconds))
  response.writeHead(options.status ?? errorCodes[known.code].http, [...headers, ...(options.headers ?? [])]).end(body)
}

interface RefusalOptions {
  readonly id?: unknown
  readonly status?: number
  readonly headers?: readonly string[]
}

const retryAfterSeconds = 10

export function toRpcError(error: HubError): { code: number; message: string; data?: unknown } {
  const data = error.data === undefined ? {} : { data: error.data }
  return { code: errorCodes[error.code].rpc, message: error.message, ...data }
}

export function toHubError(error: unknown): HubError {
  return error instanceof HubError
    ? error
    : new HubError('INTERNAL', 'The hub failed to handle the request.', { cause: error })
}

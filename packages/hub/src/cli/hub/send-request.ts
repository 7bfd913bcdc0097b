import { type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'

import { CliError, exitCodes } from '../terminal/exit-codes.ts'
import { credentialHeaders } from './hub-credential.ts'

export interface RequestOptions {
  readonly method: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  readonly signal?: AbortSignal | undefined
  /** Silence after which the request fails; absent = never, for what the hub itself limits. */
  readonly silenceMs?: number
}

/**
 * Sends one request, with the credential of the hub when it goes there, and returns the answer as soon as its head is there. Plain node:http, because fetch gives up
 * after five minutes of silence and takes longer to load than most commands run.
 */
export async function sendRequest(url: URL, options: RequestOptions): Promise<IncomingMessage> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  const { method, headers = {}, body, signal, silenceMs } = options
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const all = { ...credentialHeaders(url), ...headers, ...length }
    const request = send(url, { method, headers: all, signal }, resolve)
    request.on('error', (error) => reject(signal?.aborted ? error : unreachable(url, error)))
    if (silenceMs !== undefined) {
      request.setTimeout(silenceMs, () => request.destroy(new Error(`no answer within ${silenceMs / 1000} s`)))
    }
    request.end(body)
  })
}

/** Reads an answer to its end, within a limit. */
export async function readAnswer(answer: IncomingMessage, limitBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limitBytes) {
      answer.destroy()
      throw new CliError(exitCodes.failed, `The answer is larger than ${limitBytes} bytes.`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function unreachable(url: URL, cause: Error): CliError {
  const reason = cause.message || (cause as NodeJS.ErrnoException).code || 'unknown error'
  return new CliError(
    exitCodes.hubNotRunning,
    `No hub answers at ${url.origin} (${reason}). Start one with: herma up`,
    { cause },
  )
}

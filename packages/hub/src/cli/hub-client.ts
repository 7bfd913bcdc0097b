import type { Problem } from '@herma/contract'

import { CliError, type ExitCode, exitCodes } from './exit-codes.ts'
import { readAnswer, sendRequest } from './send-request.ts'

const answerLimitBytes = 67_108_864
const silenceMs = 60_000

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Talks to the management API of a running hub. */
export class HubClient {
  readonly url: URL

  constructor(url: URL) {
    this.url = url
  }

  /** `patient` waits as long as the hub does, for what it limits itself. */
  async send<Answer>(
    method: Method,
    path: string,
    body?: unknown,
    options: { patient?: boolean } = {},
  ): Promise<Answer> {
    const answer = await sendRequest(new URL(path, this.url), {
      method,
      headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(options.patient ? {} : { silenceMs }),
    })
    const status = answer.statusCode ?? 0
    const value = this.#parse(await readAnswer(answer, answerLimitBytes), status)
    if (status >= 400) throw this.#failure(value, status)
    return value as Answer
  }

  #parse(text: string, status: number): unknown {
    if (text === '') return undefined
    try {
      return JSON.parse(text)
    } catch (cause) {
      throw this.#stranger(status, cause)
    }
  }

  #failure(value: unknown, status: number): CliError {
    const problem: Partial<Problem['error']> | undefined = (value as Partial<Problem> | null | undefined)?.error
    if (typeof problem?.message !== 'string' || typeof problem.code !== 'string') return this.#stranger(status)
    return new CliError(exitCodeOf(status), problem.message, { code: problem.code })
  }

  #stranger(status: number, cause?: unknown): CliError {
    const message = `${this.url.origin} answers (status ${status}), but not like a Herma hub. Check --hub.`
    return new CliError(exitCodes.hubNotRunning, message, { cause })
  }
}

function exitCodeOf(status: number): ExitCode {
  if (status === 404) return exitCodes.notFound
  if ([400, 413, 415, 422].includes(status)) return exitCodes.usage
  return status === 502 || status === 504 ? exitCodes.downstreamFailed : exitCodes.failed
}

/** The path of a connector, with what follows it. */
export function connectorPath(name: string, rest = ''): string {
  return `/api/connectors/${encodeURIComponent(name)}${rest}`
}

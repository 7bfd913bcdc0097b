import type { Problem } from '@herma/contract'
import { type ApiClient, createApiClient, type WireRequest } from '@herma/contract/client'

import { CliError, type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { readAnswer, sendRequest } from './send-request.ts'

/** Where an operation is asked, for answers that are read as they come. */
export { apiPath } from '@herma/contract/client'

const answerLimitBytes = 67_108_864
const silenceMs = 60_000

interface CallOptions {
  /** Waits as long as the hub does, for what it limits itself. */
  readonly patient?: boolean
}

/** The management API of a running hub. Its functions throw what the person is told. */
export type HubApi = ApiClient<CallOptions>

/** A running hub: where it is, and what it can be asked. */
export interface HubClient {
  readonly url: URL
  readonly api: HubApi
}

export function createHubClient(url: URL): HubClient {
  return { url, api: createApiClient<CallOptions>((request, options) => send(url, request, options)) }
}

async function send(url: URL, { method, path, body }: WireRequest, options: CallOptions = {}): Promise<unknown> {
  const answer = await sendRequest(new URL(path, url), {
    method,
    headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(options.patient ? {} : { silenceMs }),
  })
  const status = answer.statusCode ?? 0
  const value = parse(await readAnswer(answer, answerLimitBytes), (cause) => strangerError(url, status, cause))
  if (status >= 400) throw failureOf(value, status) ?? strangerError(url, status)
  return value
}

function parse(text: string, toError: (cause: unknown) => CliError): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw toError(cause)
  }
}

/** What the hub says is wrong; undefined when it does not speak like a hub. */
function failureOf(value: unknown, status: number): CliError | undefined {
  const problem: Partial<Problem['error']> | undefined = (value as Partial<Problem> | null | undefined)?.error
  if (typeof problem?.message !== 'string' || typeof problem.code !== 'string') return undefined
  return new CliError(exitCodeOf(status), problem.message, { code: problem.code })
}

function strangerError({ origin }: URL, status: number, cause?: unknown): CliError {
  const message = `${origin} answers (status ${status}), but not like a Herma hub. Check --hub.`
  return new CliError(exitCodes.hubNotRunning, message, { cause })
}

function exitCodeOf(status: number): ExitCode {
  if (status === 404) return exitCodes.notFound
  if ([400, 413, 415, 422].includes(status)) return exitCodes.usage
  return status === 502 || status === 504 ? exitCodes.downstreamFailed : exitCodes.failed
}

import type { Problem } from '@herma/contract'
import { createApiClient, type ApiClient, type WireRequest } from '@herma/contract/client'
import { loginHeaders } from './login.ts'
import { ApiProblem, HubAway } from './problem.ts'

const answerTimeoutMs = 30_000

export interface AskOptions {
  readonly signal?: AbortSignal
  /** For what takes longer than an answer should: tests, model calls. */
  readonly timeoutMs?: number
}

/** The management API. Throws ApiProblem when the hub refuses, HubAway when it does not answer. */
export const api = createApiClient<AskOptions>(async (request, options) => {
  const response = await send(request, options)
  return response.status === 204 ? undefined : ((await response.json()) as unknown)
})

/** The same for answers that are read as they come: streams and files. */
export const rawApi = createApiClient<AskOptions>(send) as unknown as {
  readonly [Name in keyof Client]: (...given: Parameters<Client[Name]>) => Promise<Response>
}

type Client = ApiClient<AskOptions>

async function send({ method, path, body }: WireRequest, { signal, timeoutMs }: AskOptions = {}): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json', ...loginHeaders() }
  if (body !== undefined) headers['content-type'] = 'application/json'
  const deadline = timeoutMs === Infinity ? [] : [AbortSignal.timeout(timeoutMs ?? answerTimeoutMs)]
  let response
  try {
    response = await fetch(path, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.any([...(signal === undefined ? [] : [signal]), ...deadline]),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    if (error instanceof DOMException && error.name === 'TimeoutError')
      throw new HubAway('The hub took too long to answer. Look at its load, or try again.')
    // What fetch throws when nobody listens is a TypeError whose text differs from browser to browser.
    throw new HubAway('The hub does not answer. If it was stopped, start it again: npm start')
  }
  if (!response.ok) throw await readProblem(path, response)
  return response
}

async function readProblem(path: string, response: Response): Promise<ApiProblem> {
  // Something between us and the hub may answer with a page of its own.
  const answer = (await response.json().catch(() => null)) as Partial<Problem> | null
  const { code = 'INTERNAL', message, issues } = answer?.error ?? {}
  return new ApiProblem(response.status, code, message ?? `${path} answered with status ${response.status}.`, issues)
}

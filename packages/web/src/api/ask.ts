import type { Problem } from '@herma/contract'

const answerTimeoutMs = 30_000

export interface AskOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly body?: unknown
  readonly signal?: AbortSignal
  /** For what takes longer than an answer should: tests, model calls. */
  readonly timeoutMs?: number
}

/** What the hub says when it cannot do something; the message names the next step. */
export class ApiProblem extends Error {
  readonly status: number
  readonly code: string
  /** What is wrong with which field: `env.0.name`. */
  readonly issues: readonly { readonly path: string; readonly message: string }[]

  constructor(status: number, code: string, message: string, issues: ApiProblem['issues'] = []) {
    super(message)
    this.status = status
    this.code = code
    this.issues = issues
  }
}

/** Nobody answers at the hub's address. */
export class HubAway extends Error {}

/**
 * Asks the management API. The hub and this page are built together, so its answer has the type of the contract.
 * Throws ApiProblem when the hub refuses, HubAway when it does not answer.
 */
export async function ask<Answer>(path: string, options: AskOptions = {}): Promise<Answer> {
  const response = await send(path, options)
  if (!response.ok) throw await problemOf(path, response)
  if (response.status === 204) return undefined as Answer
  return (await response.json()) as Answer
}

/** The same for answers that are read as they come. */
export async function send(path: string, { method, body, signal, timeoutMs }: AskOptions = {}): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json' }
  if (body !== undefined) headers['content-type'] = 'application/json'
  const deadline = timeoutMs === Infinity ? [] : [AbortSignal.timeout(timeoutMs ?? answerTimeoutMs)]
  try {
    return await fetch(path, {
      method: method ?? 'GET',
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
}

export async function problemOf(path: string, response: Response): Promise<ApiProblem> {
  // Something between us and the hub may answer with a page of its own.
  const answer = (await response.json().catch(() => null)) as Partial<Problem> | null
  const { code = 'INTERNAL', message, issues } = answer?.error ?? {}
  return new ApiProblem(response.status, code, message ?? `${path} answered with status ${response.status}.`, issues)
}

/** What to show a person of whatever was thrown. */
export function explain(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

import type { IncomingMessage, ServerResponse } from 'node:http'

import { randomBytes } from 'node:crypto'
import { HubError, type Principal } from '@herma/contract'
import { z } from 'zod'

import { actAs } from '../events.ts'
import type { Log } from '../log.ts'
import { readErrorCode, readRootMessage } from '../postgres/sql-state.ts'
import { storeFailure } from '../store/store-failure.ts'
import { answerStream } from './answer-stream.ts'
import { findOddText } from './find-odd-text.ts'
import { matchPath } from './match-path.ts'
import { listIssues, problem, problemOf } from './problem.ts'
import { readJsonBody } from './read-json-body.ts'
import type { ApiAnswer, Route } from './route.ts'

const bodyLimitBytes = 1_048_576

export interface ApiOptions {
  readonly log: Log
  /** What messages of errors pass. */
  redact?(text: string): string
  /** Who is asking, or the answer that keeps them out. */
  authorize(request: IncomingMessage, route: Route): Principal | ApiAnswer | Promise<Principal | ApiAnswer>
}

/**
 * Serves routes on plain node:http.
 * It checks neither Host nor Origin: that has happened before. Who is asking is found out before a body is read.
 */
export function createApi(
  routes: readonly Route[],
  options: ApiOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const all = byPlaceholders(routes)
  return async (request, response) => {
    let answer: ApiAnswer
    try {
      answer = await answerRequest(all, request, options)
      if (answer.stream !== undefined && request.method !== 'HEAD') return answerStream(response, answer.stream)
    } catch (error) {
      // A client that has gone needs no answer, and its broken connection is no fault of ours.
      if (request.destroyed && !request.complete) return
      answer = problemOf(storeFailure(error) ?? error, options.redact) ?? hideError(error, request, options.log)
    }
    send(request, response, answer)
  }
}

/** Of two paths that match, the one with fewer placeholders is meant. */
function byPlaceholders(routes: readonly Route[]): Route[] {
  const placeholders = ({ path }: Route) => path.split(':').length
  return routes.toSorted((a, b) => placeholders(a) - placeholders(b))
}

async function answerRequest(
  routes: readonly Route[],
  request: IncomingMessage,
  { authorize }: ApiOptions,
): Promise<ApiAnswer> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const found = routes.flatMap((route) => {
    const params = matchPath(route.path, url.pathname)
    return params === undefined ? [] : [{ route, params }]
  })
  if (found.length === 0) {
    throw new HubError('METHOD_NOT_FOUND', `There is nothing at ${url.pathname}. See /api/openapi.json.`)
  }
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const match = found.find(({ route }) => route.method === method)
  if (match === undefined)
    return refuseMethod(
      url.pathname,
      found.map(({ route }) => route.method),
      request.method,
    )
  const { route, params } = match
  const principal = await authorize(request, route)
  if ('status' in principal) return principal
  const sent =
    route.body === undefined ? undefined : await readJsonBody(request, route.bodyLimitBytes ?? bodyLimitBytes)
  const query = Object.fromEntries(url.searchParams)
  // A name in the path that nothing has is not found, whatever it is.
  const odd = findOddText({ query }) ?? findOddText(sent)
  if (odd !== null) {
    const path = odd.path.join('.')
    const message = `The request is not valid. ${path === '' ? '' : `${path}: `}${odd.message}`
    return problem(422, 'INVALID_PARAMS', message, [{ path, message: odd.message }])
  }
  const checked = {
    params: (route.params ?? z.record(z.string(), z.string())).safeParse(params),
    query: (route.query ?? z.object({})).safeParse(query),
    body: (route.body ?? z.undefined()).safeParse(sent),
  }
  const issues = Object.entries(checked).flatMap(([part, result]) =>
    result.success ? [] : listIssues(result.error, part === 'body' ? [] : [part]),
  )
  if (issues.length > 0) {
    const list = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join(' ')
    return problem(422, 'INVALID_PARAMS', `The request is not valid. ${list}`, issues)
  }
  const { params: given, query: asked, body } = checked
  const actor = { principal, traceId: randomBytes(16).toString('hex') }
  return actAs(actor, () => route.handle({ params: given.data, query: asked.data, body: body.data, sent, principal }))
}

function refuseMethod(pathname: string, methods: string[], method = ''): ApiAnswer {
  const allowed = [...new Set(methods.flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : [each])))].join(', ')
  const answer = problem(405, 'METHOD_NOT_FOUND', `${pathname} does not take ${method}. It takes ${allowed}.`)
  return { ...answer, headers: { allow: allowed } }
}

function hideError(error: unknown, request: IncomingMessage, log: Log): ApiAnswer {
  // A value that no column takes, such as a number beyond its range, is the fault of who sent it.
  if (/^22[0-9A-Z]{3}$/.test(readErrorCode(error) ?? ''))
    return problem(422, 'INVALID_PARAMS', `The request is not valid. The store says: ${readRootMessage(error)}.`)
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
  log.error('An API request failed.', { method: request.method, path: pathOf(request), error: detail })
  return problem(500, 'INTERNAL', 'The hub failed to answer. Its log says why.')
}

// A query may hold what does not belong into a log.
function pathOf(request: IncomingMessage): string {
  return (request.url ?? '').split('?', 1)[0] ?? ''
}

function send(request: IncomingMessage, response: ServerResponse, answer: ApiAnswer): void {
  const { status, body, page, file, headers = {}, afterwards } = answer
  if (afterwards !== undefined) response.once('close', afterwards)
  const text = file?.text ?? page ?? (body === undefined ? '' : `${JSON.stringify(body)}\n`)
  const type = file?.type ?? (page === undefined ? 'application/json' : 'text/html')
  // Without this the unread rest of a refused body would be taken for the next request.
  if (!request.complete && hasBody(request)) response.setHeader('connection', 'close')
  response.writeHead(status, {
    ...(text === '' ? {} : { 'content-type': `${type}; charset=utf-8` }),
    ...(status === 204 ? {} : { 'content-length': Buffer.byteLength(text) }),
    'cache-control': 'no-store',
    ...(file === undefined ? {} : { 'content-disposition': `attachment; filename="${file.name}"` }),
    ...headers,
  })
  response.end(request.method === 'HEAD' ? undefined : text)
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

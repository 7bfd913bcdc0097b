import { HubError } from '@herma/contract/plain'
import type { Meta } from '@herma/framework/wire'
import { sessionOf, sessionServer } from './server-name.ts'

/** Where `_meta` says which served servers a request has passed, oldest first: `HUB/SERVER` or `HUB/SERVER>SESSION`. */
const pathKey = 'herma/path'
/** Where `_meta` names the request that all of this is done for. */
const requestKey = 'herma/requestId'
/** The headers of these two. */
const pathHeader = 'herma-path'
const requestHeader = 'herma-request-id'
const maxHeaderLength = 8192
/** Longer ones are no paths: the greatest hop limit is 20. */
const maxEntries = 64
const entryPattern = /^[\w.:-]{1,100}\/[\w.:-]{1,100}(>[\w-]{1,40})?$/

/** How a request came here: the servers that it passed, in this hub and in others. */
export interface CallPath {
  readonly requestId: string
  readonly entries: readonly string[]
}

/** Reads what the caller says about the way of its request. Who says something else than a path has come no way. */
export function readCallPath(meta: Meta | undefined, newRequestId: () => string): CallPath {
  const given = meta?.[pathKey]
  const id = meta?.[requestKey]
  const entries = Array.isArray(given) ? given.slice(-maxEntries).filter(isEntry) : []
  return { requestId: typeof id === 'string' && /^[\w.:-]{1,100}$/.test(id) ? id : newRequestId(), entries }
}

/** What a request that goes on carries in its `_meta`. */
export function writeCallPath({ requestId, entries }: CallPath): Meta {
  return { [pathKey]: [...entries], [requestKey]: requestId }
}

/** The part of `_meta` that says which way a request came; undefined when it came none. */
export function pathMeta(meta: Meta | undefined): Meta | undefined {
  return meta?.[pathKey] === undefined ? undefined : { [pathKey]: meta[pathKey], [requestKey]: meta[requestKey] }
}

/** The same in the headers of a request that has no `_meta`: one to a model that may be a session of a hub. */
export function toPathHeaders({ requestId, entries }: CallPath): Record<string, string> {
  return { [pathHeader]: entries.join(','), [requestHeader]: requestId }
}

export function readPathHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  newRequestId: () => string,
): CallPath {
  const given = headers[pathHeader]
  const entries = typeof given === 'string' && given.length <= maxHeaderLength ? given.split(',') : undefined
  return readCallPath({ [pathKey]: entries, [requestKey]: headers[requestHeader] }, newRequestId)
}

/** Enters a served server. Refuses a request that has been there before, or that has come too far. */
export function enterServer(
  path: CallPath,
  { hub, server, limit }: { hub: string; server: string; limit: number },
): CallPath {
  const here = `${hub}/${server}`
  const whole = [...path.entries, here]
  const data = { path: whole, requestId: path.requestId }
  const session = sessionOf(server)
  if (path.entries.some((entry) => serverOf(entry) === here) || (session !== null && isAtWork(path, hub, session))) {
    const text = `The call has come in a circle: ${whole.join(' → ')}. Unbind the connector that leads back to '${server}'.`
    throw new HubError('CALL_CYCLE', text, { data })
  }
  if (whole.length > limit) {
    const text = `The call has passed ${limit} servers, the hop limit of '${server}': ${whole.join(' → ')}. Raise it, or shorten the way.`
    throw new HubError('HOP_LIMIT', text, { data })
  }
  return { requestId: path.requestId, entries: whole }
}

/** Names the session that works in the server that was entered last. */
export function handTo({ requestId, entries }: CallPath, session: string): CallPath {
  const last = entries.at(-1)
  return { requestId, entries: last === undefined ? [] : [...entries.slice(0, -1), `${serverOf(last)}>${session}`] }
}

/** Whether a session of this hub works on the request already, so that it would wait for itself. */
export function isAtWork({ entries }: CallPath, hub: string, session: string): boolean {
  return entries.some(
    (entry) =>
      entry === `${hub}/${sessionServer(session)}` || (entry.startsWith(`${hub}/`) && entry.endsWith(`>${session}`)),
  )
}

/** The session that works on the request now; null when none does. */
export function sessionAtWork({ entries }: CallPath): string | null {
  const last = entries.at(-1)
  if (last === undefined) return null
  const [server, session] = last.slice(last.indexOf('/') + 1).split('>')
  return session ?? sessionOf(server!)
}

function serverOf(entry: string): string {
  const end = entry.indexOf('>')
  return end < 0 ? entry : entry.slice(0, end)
}

function isEntry(value: unknown): value is string {
  return typeof value === 'string' && entryPattern.test(value)
}

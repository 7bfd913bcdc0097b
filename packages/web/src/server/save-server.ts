import type { ServerView } from '@herma/contract'
import { ApiProblem, ask } from '../api/ask.ts'
import { serverPath } from './servers-query.ts'
import { teamPath } from './change-server.ts'
import type { ServerForm } from './server-draft.ts'

/**
 * Sends what was changed to where it belongs: the team, its server, and the connector that it hosts. Problems come back
 * with the paths that they have in the form.
 */
export async function saveServer(
  server: ServerView,
  { next, last }: { next: ServerForm; last: ServerForm },
): Promise<void> {
  const { name, kind, connector } = server
  const isTeam = kind === 'team'
  if (next.connector !== undefined && connector !== null && differ(next.connector, last.connector)) {
    const { name: _, options: __, ...input } = next.connector
    const cleared = { baseUrl: null, endpointPath: null, cmd: null, workingDir: null, args: [], env: [], headers: [] }
    const body = { ...cleared, ...pick(input, ['transport', ...Object.keys(cleared)]) }
    await at('connector', ask(`/api/connectors/${encodeURIComponent(connector)}`, { method: 'PATCH', body }))
  }
  const text = differ(next.description, last.description) ? { description: next.description } : {}
  const ofTeam = { ...changes(next.team ?? {}, last.team ?? {}), ...(isTeam && text) }
  if (Object.keys(ofTeam).length > 0) await at('team', ask(teamPath(name), { method: 'PATCH', body: ofTeam }))
  const ofServer = { ...changes(next.server, last.server), ...(!isTeam && kind !== 'session' && text) }
  if (Object.keys(ofServer).length > 0) await at('server', ask(serverPath(name), { method: 'PATCH', body: ofServer }))
}

/** The same request with the paths of its problems as they are in a form. */
export async function at<Answer>(field: string, request: Promise<Answer>): Promise<Answer> {
  try {
    return await request
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error
    const issues = error.issues.map(({ path, message }) => ({ path: `${field}.${path}`, message }))
    throw new ApiProblem(error.status, error.code, error.message, issues)
  }
}

/** Whether a refusal is told at fields, which is where it stays. */
export function isAtFields(error: unknown): boolean {
  return error instanceof ApiProblem && error.issues.length > 0
}

function changes(next: object, last: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(next).filter(([name, value]) => differ(value, (last as Record<string, unknown>)[name])),
  )
}

function pick(source: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(source).filter(([name]) => names.includes(name)))
}

function differ(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) !== JSON.stringify(b)
}

import type { ServerView } from '@herma/contract'
import { api } from '../../api/client.ts'
import { ApiProblem } from '../../api/problem.ts'
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
    const body = { ...cleared, ...filterFields(input, (field) => field === 'transport' || field in cleared) }
    await at('connector', api.updateConnector({ name: connector, body }))
  }
  const text = differ(next.description, last.description) ? { description: next.description } : {}
  const ofTeam = { ...changes(next.team, last.team), ...(isTeam && text) }
  if (Object.keys(ofTeam).length > 0) await at('team', api.updateTeam({ name, body: ofTeam }))
  const ofServer = { ...changes(next.server, last.server), ...(!isTeam && kind !== 'session' && text) }
  if (Object.keys(ofServer).length > 0) await at('server', api.updateServer({ name, body: ofServer }))
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

function changes<Part extends object>(next: Part | undefined, last: Part | undefined): Partial<Part> {
  return filterFields(next, (name) => differ(next?.[name], last?.[name]))
}

function filterFields<Part extends object>(
  part: Part | undefined,
  isKept: (name: keyof Part) => boolean,
): Partial<Part> {
  const kept = Object.entries(part ?? {}).filter(([name]) => isKept(name as keyof Part))
  return Object.fromEntries(kept) as Partial<Part>
}

function differ(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) !== JSON.stringify(b)
}

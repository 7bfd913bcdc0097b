import type { ConnectorView, ServerTestRequest, ServerView, TestReport } from '@herma/contract'
import { ask } from '../api/ask.ts'
import { sessionOf } from './describe-server.ts'
import { serverPath } from './servers-query.ts'

const testTimeoutMs = 600_000

/** What a change of a server may concern. */
export const serverTopics = ['servers', 'teams', 'connectors', 'sessions'] as const

/** Teams and sessions have a switch of their own. */
export async function setEnabled(server: ServerView, enabled: boolean): Promise<void> {
  const session = sessionOf(server)
  const path =
    session !== null
      ? `/api/sessions/${encodeURIComponent(session)}`
      : server.kind === 'team'
        ? teamPath(server.name)
        : serverPath(server.name)
  await ask(path, { method: 'PATCH', body: { enabled } })
}

/** Of a custom server its connector can go with it. */
export async function removeServer({ name, kind, connector }: ServerView, isWithConnector: boolean): Promise<void> {
  await ask(kind === 'team' ? teamPath(name) : serverPath(name), { method: 'DELETE' })
  if (isWithConnector && connector !== null)
    await ask(`/api/connectors/${encodeURIComponent(connector)}`, { method: 'DELETE' })
}

/** Uses a server as a client would. */
export function testServer(name: string, request: ServerTestRequest = {}): Promise<TestReport> {
  return ask<TestReport>(serverPath(name, '/test'), { method: 'POST', body: request, timeoutMs: testTimeoutMs })
}

/** Whether a connector was made for one server and is of no other use. */
export function isOwnConnector(connector: ConnectorView | undefined): connector is ConnectorView {
  return connector !== undefined && connector.kind === 'server' && !connector.options.listed
}

/** The address where the traces of a server are downloaded. */
export function traceDownload(name: string): string {
  return `/api/traces/download?${new URLSearchParams({ server: name })}`
}

export function teamPath(name: string, rest = ''): string {
  return `/api/teams/${encodeURIComponent(name)}${rest}`
}

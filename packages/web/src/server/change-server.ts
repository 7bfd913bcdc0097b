import type { ConnectorView, ServerTestRequest, ServerView, TestReport } from '@herma/contract'
import { api, rawApi } from '../api/client.ts'
import { saveAnswer } from '../api/save-answer.ts'
import { explain } from '../ui/explain.ts'
import { announce } from '../ui/overlay/toasts.tsx'
import { sessionOf } from './describe-server.ts'

const testTimeoutMs = 600_000

/** What a change of a server may concern. */
export const serverTopics = ['servers', 'teams', 'connectors', 'sessions'] as const

/** Teams and sessions have a switch of their own. */
export async function setEnabled(server: ServerView, enabled: boolean): Promise<void> {
  const session = sessionOf(server)
  const body = { enabled }
  if (session !== null) await api.updateSession({ name: session, body })
  else if (server.kind === 'team') await api.updateTeam({ name: server.name, body })
  else await api.updateServer({ name: server.name, body })
}

/** Of a custom server its connector can go with it. */
export async function removeServer({ name, kind, connector }: ServerView, isWithConnector: boolean): Promise<void> {
  await (kind === 'team' ? api.removeTeam({ name }) : api.removeServer({ name }))
  if (isWithConnector && connector !== null) await api.removeConnector({ name: connector })
}

/** Uses a server as a client would. */
export function testServer(name: string, request: ServerTestRequest = {}): Promise<TestReport> {
  return api.testServer({ name, body: request }, { timeoutMs: testTimeoutMs })
}

/** Whether a connector was made for one server and is of no other use. */
export function isOwnConnector(connector: ConnectorView | undefined): connector is ConnectorView {
  return connector !== undefined && connector.kind === 'server' && !connector.options.listed
}

/** Saves what was recorded of a server as a file; says why when it cannot. */
export async function downloadTraces(name: string): Promise<void> {
  try {
    await saveAnswer(await rawApi.downloadTraces({ server: name }, { timeoutMs: 120_000 }), `${name}.json`)
  } catch (error) {
    announce('The traces could not be downloaded', explain(error))
  }
}

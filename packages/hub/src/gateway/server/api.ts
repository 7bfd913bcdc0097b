import type { Principal, ServerTestRequest, ServerView, TestReport } from '@herma/contract'
import { serverOperations } from '@herma/contract/api'
import { requireOwner } from '../../access/index.ts'
import { type Route, serve } from '../../platform/http/index.ts'
import { facadeName } from '../../wire/index.ts'
import type { Servers } from './servers.ts'

/** Tries a served server on behalf of who asks. */
export type TestServer = (name: string, principal: Principal, request: ServerTestRequest) => Promise<TestReport>

export function serverApi(servers: Servers, test: TestServer): Route[] {
  return serve(serverOperations, {
    testServer: ({ params: { name }, body, principal }) => test(name, principal, body ?? {}),
    listServers: () => ({ servers: servers.list() }),
    getServer: ({ params: { name } }) => servers.get(name),
    addServer: ({ body, principal }) => {
      requireMayOpen(principal, body.access ?? 'auto', servers.get(facadeName).access)
      return servers.add(body)
    },
    removeServer: ({ params: { name } }) => servers.remove(name),
    updateServer: ({ params: { name }, body, principal }) => {
      requireMayOpen(principal, body.access, servers.get(name).access)
      return servers.update(name, body)
    },
  })
}

/** Whoever needs no key is trusted, and for that an owner is asked. */
function requireMayOpen(principal: Principal, access: Openness | undefined, before: Openness): void {
  if (access === undefined || openness.indexOf(access) <= openness.indexOf(before)) return
  requireOwner(principal, 'Only an owner lets programs of this machine in without a key.')
}

type Openness = ServerView['access']

const openness: readonly Openness[] = ['required', 'auto', 'local']

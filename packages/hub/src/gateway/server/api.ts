import type { Principal, ServerTestRequest, TestReport } from '@herma/contract'
import { serverOperations } from '@herma/contract/api'
import { type Route, serve } from '../../platform/http/index.ts'
import type { Servers } from './servers.ts'

/** Tries a served server on behalf of who asks. */
export type TestServer = (name: string, principal: Principal, request: ServerTestRequest) => Promise<TestReport>

export function serverApi(servers: Servers, test: TestServer): Route[] {
  return serve(serverOperations, {
    testServer: ({ params: { name }, body, principal }) => test(name, principal, body ?? {}),
    listServers: () => ({ servers: servers.list() }),
    getServer: ({ params: { name } }) => servers.get(name),
    addServer: ({ body }) => servers.add(body),
    removeServer: ({ params: { name } }) => servers.remove(name),
    updateServer: ({ params: { name }, body }) => servers.update(name, body),
  })
}

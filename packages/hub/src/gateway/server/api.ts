import type { Principal, ServerInput, ServerPatch, ServerTestRequest, ServerView, TestReport } from '@herma/contract'
import { serverOperations } from '@herma/contract/api'
import { type Route, serve } from '../../platform/http/index.ts'

/** What a route needs of the served servers. */
export interface ServerService {
  list(): ServerView[]
  get(name: string): ServerView
  add(input: ServerInput): Promise<ServerView>
  update(name: string, patch: ServerPatch): Promise<ServerView>
  remove(name: string): Promise<void>
}

/** Tries a served server on behalf of who asks. */
export interface ServerTestService {
  test(name: string, principal: Principal, request: ServerTestRequest): Promise<TestReport>
}

export function serverApi(servers: ServerService, tests: ServerTestService): Route[] {
  return serve(serverOperations, {
    testServer: ({ params: { name }, body, principal }) => tests.test(name, principal, body ?? {}),
    listServers: () => ({ servers: servers.list() }),
    getServer: ({ params: { name } }) => servers.get(name),
    addServer: ({ body }) => servers.add(body),
    removeServer: ({ params: { name } }) => servers.remove(name),
    updateServer: ({ params: { name }, body }) => servers.update(name, body),
  })
}

import type { HubStatus } from '@herma/contract'
import { api, hubOperations } from '@herma/contract/api'
import { createOpenApi, Reply, type Route, serve } from '../platform/http/index.ts'

/** What the routes need of the hub itself. */
export interface HubControl {
  status(): Promise<HubStatus>
  /** `graceMs` is how long calls under way are waited for. */
  stop(graceMs?: number): void
}

export function hubApi(hub: HubControl): Route[] {
  let document: Record<string, unknown> | undefined
  return serve(hubOperations, {
    getOpenApi: () => (document ??= createOpenApi(api)),
    getStatus: () => hub.status(),
    stopHub: ({ body }) => new Reply({ stopping: true } as const, { afterwards: () => hub.stop(body?.graceMs) }),
  })
}

import { policyOperations } from '@herma/contract/api'
import { Reply, type Route, serve } from '../../platform/http/index.ts'
import type { Policy } from './policy.ts'

/** Rules of access for people and programs. */
export function policyApi(policy: Policy): Route[] {
  return serve(policyOperations, {
    listAccessRules: () => ({ rules: policy.list() }),
    addAccessRule: async ({ body }) => {
      const rule = await policy.add(body)
      return new Reply(rule, { headers: { location: `/api/access/rules/${rule.id}` } })
    },
    orderAccessRules: async ({ body }) => ({ rules: await policy.order(body.ids) }),
    getAccessRule: ({ params: { id } }) => policy.get(id),
    updateAccessRule: ({ params: { id }, body }) => policy.update(id, body),
    removeAccessRule: ({ params: { id } }) => policy.remove(id),
    explainAccess: ({ body }) => policy.explain(body),
    dryRunAccess: ({ body }) => policy.dryRun(body),
  })
}

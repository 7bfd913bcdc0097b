import {
  AccessQuestion,
  AccessRuleInput,
  AccessRuleOrder,
  AccessRulePatch,
  AccessRuleView,
  Decision,
  PolicyTrial,
  PolicyTrialReport,
} from '@herma/contract'
import { z } from 'zod'
import { defineRoute, type Route } from '../../platform/http/index.ts'
import type { PolicyDesk } from './policy-desk.ts'

/** What the routes need of rules. */
export type PolicyService = Pick<
  PolicyDesk,
  'list' | 'get' | 'add' | 'update' | 'order' | 'remove' | 'explain' | 'dryRun'
>

const params = z.object({ id: z.string().describe('Id of a rule.') })
const rules = z.object({ rules: z.array(AccessRuleView) })

/** Rules of access for people and programs. */
export function policyRoutes(policy: PolicyService): Route[] {
  return [...ruleRoutes(policy), ...questionRoutes(policy)]
}

function ruleRoutes(policy: PolicyService): Route[] {
  return [
    defineRoute({
      id: 'listAccessRules',
      method: 'GET',
      path: '/api/access/rules',
      summary: 'The rules of access, in their order.',
      responses: { 200: { description: 'The rules.', schema: rules } },
      handle: () => ({ status: 200, body: { rules: policy.list() } }),
    }),
    defineRoute({
      id: 'addAccessRule',
      method: 'POST',
      path: '/api/access/rules',
      summary: 'Adds a rule after the others. It holds from the next call on.',
      body: AccessRuleInput,
      responses: { 201: { description: 'The rule.', schema: AccessRuleView } },
      handle: async ({ body }) => {
        const rule = await policy.add(body)
        return { status: 201, body: rule, headers: { location: `/api/access/rules/${rule.id}` } }
      },
    }),
    defineRoute({
      id: 'orderAccessRules',
      method: 'PUT',
      path: '/api/access/rules',
      summary: 'Puts the rules into another order.',
      body: AccessRuleOrder,
      responses: { 200: { description: 'The rules.', schema: rules } },
      handle: async ({ body }) => ({ status: 200, body: { rules: await policy.order(body.ids) } }),
    }),
    defineRoute({
      id: 'getAccessRule',
      method: 'GET',
      path: '/api/access/rules/:id',
      summary: 'One rule.',
      params,
      responses: { 200: { description: 'The rule.', schema: AccessRuleView } },
      handle: ({ params: { id } }) => ({ status: 200, body: policy.get(id) }),
    }),
    defineRoute({
      id: 'updateAccessRule',
      method: 'PATCH',
      path: '/api/access/rules/:id',
      summary: 'Changes the given fields of a rule.',
      params,
      body: AccessRulePatch,
      responses: { 200: { description: 'The changed rule.', schema: AccessRuleView } },
      handle: async ({ params: { id }, body }) => ({ status: 200, body: await policy.update(id, body) }),
    }),
    defineRoute({
      id: 'removeAccessRule',
      method: 'DELETE',
      path: '/api/access/rules/:id',
      summary: 'Removes a rule.',
      params,
      responses: { 204: { description: 'It is gone.' } },
      handle: async ({ params: { id } }) => {
        await policy.remove(id)
        return { status: 204 }
      },
    }),
  ]
}

function questionRoutes(policy: PolicyService): Route[] {
  return [
    defineRoute({
      id: 'explainAccess',
      method: 'POST',
      path: '/api/access/explain',
      summary: 'Whether somebody may do something, and why: every step and every rule. Nothing is called.',
      body: AccessQuestion,
      responses: { 200: { description: 'The decision.', schema: Decision } },
      handle: async ({ body }) => ({ status: 200, body: await policy.explain(body) }),
    }),
    defineRoute({
      id: 'dryRunAccess',
      method: 'POST',
      path: '/api/access/dry-run',
      summary: 'Which recorded calls would end otherwise if these rules were all there are. Nothing is stored.',
      body: PolicyTrial,
      responses: { 200: { description: 'What would change.', schema: PolicyTrialReport } },
      handle: async ({ body }) => ({ status: 200, body: await policy.dryRun(body) }),
    }),
  ]
}

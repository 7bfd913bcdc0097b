import { z } from 'zod'

import {
  AccessQuestion,
  AccessRuleInput,
  AccessRuleOrder,
  AccessRulePatch,
  AccessRuleView,
  Decision,
  PolicyTrial,
  PolicyTrialReport,
} from '../../access/policy.ts'
import type { ApiOperation } from '../operation.ts'

const params = z.object({ id: z.string().describe('Id of a rule.') })
const rules = z.object({ rules: z.array(AccessRuleView) })

export const policyOperations = {
  listAccessRules: {
    method: 'GET',
    path: '/api/access/rules',
    summary: 'The rules of access, in their order.',
    responses: { 200: { description: 'The rules.', schema: rules } },
  },
  addAccessRule: {
    method: 'POST',
    path: '/api/access/rules',
    role: 'owner',
    summary: 'Adds a rule after the others. It holds from the next call on.',
    body: AccessRuleInput,
    responses: { 201: { description: 'The rule.', schema: AccessRuleView } },
    errors: ['RULE_INVALID'],
  },
  orderAccessRules: {
    method: 'PUT',
    path: '/api/access/rules',
    role: 'owner',
    summary: 'Puts the rules into another order.',
    body: AccessRuleOrder,
    responses: { 200: { description: 'The rules.', schema: rules } },
    errors: ['RULE_NOT_FOUND'],
  },
  getAccessRule: {
    method: 'GET',
    path: '/api/access/rules/:id',
    summary: 'One rule.',
    params,
    responses: { 200: { description: 'The rule.', schema: AccessRuleView } },
    errors: ['RULE_NOT_FOUND'],
  },
  updateAccessRule: {
    method: 'PATCH',
    path: '/api/access/rules/:id',
    role: 'owner',
    summary: 'Changes the given fields of a rule.',
    params,
    body: AccessRulePatch,
    responses: { 200: { description: 'The changed rule.', schema: AccessRuleView } },
    errors: ['RULE_NOT_FOUND', 'RULE_INVALID'],
  },
  removeAccessRule: {
    method: 'DELETE',
    path: '/api/access/rules/:id',
    role: 'owner',
    summary: 'Removes a rule.',
    params,
    responses: { 204: { description: 'It is gone.' } },
    errors: ['RULE_NOT_FOUND'],
  },
  explainAccess: {
    method: 'POST',
    path: '/api/access/explain',
    summary: 'Whether somebody may do something, and why: every step and every rule. Nothing is called.',
    body: AccessQuestion,
    responses: { 200: { description: 'The decision.', schema: Decision } },
  },
  dryRunAccess: {
    method: 'POST',
    path: '/api/access/dry-run',
    summary: 'Which recorded calls would end otherwise if these rules were all there are. Nothing is stored.',
    body: PolicyTrial,
    responses: { 200: { description: 'What would change.', schema: PolicyTrialReport } },
  },
} as const satisfies Record<string, ApiOperation>

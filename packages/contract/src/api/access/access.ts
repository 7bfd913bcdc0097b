import { z } from 'zod'

import { AccessSettings, AccessSettingsPatch, OperatorLink, ReachReport } from '../../access/access.ts'
import { Principal } from '../../access/principal.ts'
import type { ApiOperation } from '../operation.ts'

export const accessOperations = {
  whoAmI: {
    method: 'GET',
    path: '/api/access/me',
    role: 'known',
    summary: 'Who you are to the hub.',
    responses: { 200: { description: 'The principal.', schema: Principal } },
  },
  createOperatorLink: {
    method: 'POST',
    path: '/api/access/link',
    role: 'owner',
    summary: 'A link that signs a browser in as the operator, once and within a minute.',
    responses: { 201: { description: 'The link.', schema: OperatorLink } },
  },
  getAccessSettings: {
    method: 'GET',
    path: '/api/access/settings',
    summary: 'How the hub can be reached, and what it may reach.',
    responses: { 200: { description: 'The settings.', schema: AccessSettings } },
  },
  updateAccessSettings: {
    method: 'PATCH',
    path: '/api/access/settings',
    role: 'owner',
    summary: 'Change how the hub can be reached. It holds at once.',
    body: AccessSettingsPatch,
    responses: { 200: { description: 'The settings.', schema: AccessSettings } },
  },
  checkReach: {
    method: 'POST',
    path: '/api/access/reach',
    summary: 'Whether the public URL leads to this hub.',
    responses: { 200: { description: 'What happened on the way.', schema: ReachReport } },
  },
  answerReach: {
    method: 'GET',
    path: '/api/access/reach/:question',
    role: 'public',
    summary: 'Where a check of the public URL arrives; 204 = this hub asked it.',
    params: z.object({ question: z.string().max(64) }),
    responses: { 204: { description: 'This hub asked it.' }, 404: { description: 'It did not.' } },
  },
} as const satisfies Record<string, ApiOperation>

import { AccessSettings, AccessSettingsPatch, OperatorLink, Principal, ReachReport } from '@herma/contract'
import { z } from 'zod'
import { defineRoute, type Route } from '../platform/http/index.ts'
import type { Access } from './access.ts'
import { reachPath } from './reach-check.ts'

export function accessRoutes(access: Pick<Access, 'settings' | 'createLink' | 'reach'>): Route[] {
  return [
    defineRoute({
      id: 'whoAmI',
      method: 'GET',
      path: '/api/access/me',
      summary: 'Who you are to the hub.',
      responses: { 200: { description: 'The principal.', schema: Principal } },
      handle: ({ principal }) => ({ status: 200, body: principal }),
    }),
    defineRoute({
      id: 'createOperatorLink',
      method: 'POST',
      path: '/api/access/link',
      summary: 'A link that signs a browser in as the operator, once and within a minute.',
      responses: { 201: { description: 'The link.', schema: OperatorLink } },
      handle: () => ({ status: 201, body: access.createLink() }),
    }),
    defineRoute({
      id: 'getAccessSettings',
      method: 'GET',
      path: '/api/access/settings',
      summary: 'How the hub can be reached, and what it may reach.',
      responses: { 200: { description: 'The settings.', schema: AccessSettings } },
      handle: () => ({ status: 200, body: access.settings.get() }),
    }),
    defineRoute({
      id: 'updateAccessSettings',
      method: 'PATCH',
      path: '/api/access/settings',
      summary: 'Change how the hub can be reached. It holds at once.',
      body: AccessSettingsPatch,
      responses: { 200: { description: 'The settings.', schema: AccessSettings } },
      handle: async ({ sent }) => ({
        status: 200,
        body: await access.settings.update(sent as AccessSettingsPatch),
      }),
    }),
    defineRoute({
      id: 'checkReach',
      method: 'POST',
      path: reachPath,
      summary: 'Whether the public URL leads to this hub.',
      responses: { 200: { description: 'What happened on the way.', schema: ReachReport } },
      handle: async () => ({ status: 200, body: await access.reach.check(access.settings.get().publicUrl) }),
    }),
    defineRoute({
      id: 'answerReach',
      method: 'GET',
      path: `${reachPath}/:question`,
      isPublic: true,
      summary: 'Where a check of the public URL arrives; 204 = this hub asked it.',
      params: z.object({ question: z.string().max(64) }),
      responses: { 204: { description: 'This hub asked it.' }, 404: { description: 'It did not.' } },
      handle: ({ params: { question } }) => ({ status: access.reach.isAsked(question) ? 204 : 404 }),
    }),
  ]
}

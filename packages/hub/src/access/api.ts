import { accessOperations } from '@herma/contract/api'
import { Reply, type Route, serve } from '../platform/http/index.ts'
import type { Access } from './access.ts'

export function accessApi(access: Pick<Access, 'settings' | 'createLink' | 'reach'>): Route[] {
  return serve(accessOperations, {
    whoAmI: ({ principal }) => principal,
    createOperatorLink: () => access.createLink(),
    getAccessSettings: () => access.settings.get(),
    updateAccessSettings: ({ sent }) => access.settings.update(sent),
    checkReach: () => access.reach.check(access.settings.get().publicUrl),
    answerReach: ({ params: { question } }) =>
      new Reply(undefined, { status: access.reach.isAsked(question) ? 204 : 404 }),
  })
}

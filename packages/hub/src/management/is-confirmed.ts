import type { Context } from '@herma/framework'
import { z } from 'zod'

/** Asks the person before something is removed. A client that cannot ask decides itself, as it does for every tool. */
export async function isConfirmed(what: string, context: Context<undefined>): Promise<boolean> {
  if (!context.client.can('elicitation.form')) return true
  const schema = z.object({ remove: z.boolean().describe(`Remove ${what} and its secrets.`) })
  const answer = await context.elicit('confirm', { message: `Remove ${what} for good?`, schema })
  return answer.action === 'accept' && answer.value.remove
}

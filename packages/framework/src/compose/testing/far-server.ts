import { z } from 'zod'
import { server } from '../../server/app.ts'

/** A server of this framework in a process of its own. */
await server({ name: 'far', version: '1.0.0' })
  .tool('era', {}, (_, context) => context.era)
  .tool('ask', {}, async (_, context) => {
    const answer = await context.elicit('who', { message: 'Who?', schema: z.object({ name: z.string() }) })
    return answer.action === 'accept' ? answer.value.name : answer.action
  })
  .stdio()

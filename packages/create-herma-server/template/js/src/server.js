import { server } from '@herma/framework'
import { z } from 'zod'

/** The server itself, however it is served. Add your tools, resources and prompts here. */
export const app = server({ name: '__name__', version: '0.1.0' })
  .tool(
    'greet',
    {
      description: 'Greets someone by name.',
      input: z.object({ name: z.string().min(1).describe('Whom to greet.') }),
    },
    ({ name }) => `Hello, ${name}!`,
  )
  .tool(
    'add',
    {
      description: 'Adds two numbers.',
      input: z.object({ a: z.number(), b: z.number() }),
      output: z.object({ sum: z.number() }),
      annotations: { readOnlyHint: true },
    },
    ({ a, b }) => ({ sum: a + b }),
  )
  .resource('greeting://{name}', { description: 'A greeting for someone.' }, ({ name }) => `Hello, ${name}!`)
  .prompt(
    'welcome',
    { description: 'Asks for a warm welcome.', args: z.object({ name: z.string() }) },
    ({ name }) => `Write a warm welcome for ${name}.`,
  )

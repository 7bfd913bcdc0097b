// An MCP server with two tools. In a clone: npx herma add hello -- node examples/hello-server/server.mjs
import { server } from '@herma/framework'
import { z } from 'zod'

await server({ name: 'hello', version: '1.0.0' })
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
    { description: 'Adds numbers.', input: z.object({ numbers: z.array(z.number()).min(1) }) },
    ({ numbers }) => numbers.reduce((sum, number) => sum + number, 0),
  )
  .stdio()

// An MCP server with two tools. In a clone: npx herma add hello -- node examples/hello-server/server.mjs
import { serveStdio } from '@herma/framework'
import { z } from 'zod'

serveStdio({
  name: 'hello',
  version: '1.0.0',
  tools: [
    {
      name: 'greet',
      description: 'Greets someone by name.',
      input: z.object({ name: z.string().min(1).describe('Whom to greet.') }),
      run: ({ name }) => `Hello, ${name}!`,
    },
    {
      name: 'add',
      description: 'Adds numbers.',
      input: z.object({ numbers: z.array(z.number()).min(1) }),
      run: ({ numbers }) => String(numbers.reduce((sum, number) => sum + number, 0)),
    },
  ],
})

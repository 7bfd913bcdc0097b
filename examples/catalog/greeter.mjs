// An MCP server whose tool is described by its first argument, so that you can see what happens when a server changes
// its mind. In a clone: npx herma add greeter -- node examples/catalog/greeter.mjs 'Greets someone by name.'
import { server } from '@herma/framework'
import { z } from 'zod'

await server({ name: 'greeter', version: '1.0.0' })
  .tool(
    'greet',
    {
      description: process.argv[2] ?? 'Greets someone by name.',
      input: z.object({ name: z.string().min(1).describe('Whom to greet.') }),
    },
    ({ name }) => `Hello, ${name}!`,
  )
  .stdio()

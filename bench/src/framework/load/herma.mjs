// Program of the framework bench: herma.mjs stdio|http-modern|http-legacy TOOLS [PORT]
import { server } from '@herma/framework'
import { z } from 'zod'

const [transport, tools, port] = process.argv.slice(2)
const input = z.object({ a: z.number(), b: z.number() })
const app = server({ name: 'load', version: '1.0.0' })
for (let index = 0; index < Number(tools); index++) {
  const name = index === 0 ? 'add' : `add${index}`
  app.tool(name, { description: 'Adds two numbers.', input }, ({ a, b }) => String(a + b))
}
await (transport === 'stdio' ? app.stdio() : app.http().listen(Number(port)))

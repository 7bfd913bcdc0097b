import { server } from '@herma/framework'
import { z } from 'zod'

await server({ name: 'hello', version: '1.0.0' })
  .tool('add', { description: 'Adds.', input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => String(a + b))
  .resource('greeting://{name}', { description: 'Greets.' }, ({ name }) => `Hello, ${name}!`)
  .prompt('review', { args: z.object({ code: z.string() }) }, ({ code }) => `Review:\n${code}`)
  .stdio()

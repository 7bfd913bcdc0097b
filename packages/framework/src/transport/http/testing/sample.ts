import { z } from 'zod'
import { server } from '../../../server/app.ts'
import type { RunOptions } from '../../../host/settings.ts'
import type { HttpOptions } from '../http-app.ts'

/** A promise, and the way to settle it from outside. */
export function signalled(): { promise: Promise<void>; fire(): void } {
  let fire = () => {}
  const promise = new Promise<void>((resolve) => (fire = resolve))
  return { promise, fire: () => fire() }
}

/** A server with tools for all that a transport has to carry, and the hooks to steer them. */
export function sample(options: RunOptions = {}) {
  const started = signalled()
  const released = signalled()
  const aborted = signalled()
  const app = server({ name: 'sample', version: '1', ...options })
    .tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => String(a + b))
    .tool('count', { input: z.object({ to: z.number() }) }, ({ to }, context) => {
      for (let done = 1; done <= to; done++) context.progress(done, to)
      return 'counted'
    })
    .tool('wait', {}, async (_, context) => {
      context.signal.addEventListener('abort', () => aborted.fire())
      started.fire()
      context.progress(1, 2)
      await Promise.race([released.promise, aborted.promise])
      if (!context.signal.aborted) context.progress(2, 2)
      return 'waited'
    })
    .tool('silent', {}, async (_, context) => {
      context.signal.addEventListener('abort', () => aborted.fire())
      started.fire()
      await Promise.race([released.promise, aborted.promise])
      return 'waited in silence'
    })
    .tool('name', {}, async (_, context) => {
      const answer = await context.elicit('name', { message: 'Who?', schema: z.object({ name: z.string() }) })
      return answer.action === 'accept' ? `hello ${answer.value.name}` : 'nobody'
    })
    .tool('who', {}, (_, context) => context.principal?.id ?? 'nobody')
    .tool('write', { scopes: ['files:write'] }, () => 'written')
    .tool(
      'route',
      { input: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }) },
      ({ region }) => region,
    )
    .resource('memo://one', {}, () => 'one')
  return { app, started, released, aborted }
}

/** The sample on a free port. Stops when its block ends. */
export async function serveSample(options: HttpOptions = {}, run: RunOptions = {}) {
  const parts = sample(run)
  const running = await parts.app.http(options).listen(0)
  return {
    ...parts,
    running,
    url: running.url,
    async [Symbol.asyncDispose]() {
      parts.released.fire()
      await running.stop()
    },
  }
}

import { expect, test } from 'vitest'
import { startChild } from './child.ts'
import { withCleanup } from './cleanup.ts'

test('what was deferred is undone last first, also when the work failed and an undo as well', async () => {
  const undone: string[] = []
  const work = withCleanup(async (defer) => {
    defer(async () => undone.push('first'))
    defer(() => Promise.reject(new Error('will not go')))
    defer(async () => undone.push('last'))
    throw new Error('the work failed')
  })
  await expect(work).rejects.toThrow('the work failed')
  expect(undone).toEqual(['last', 'first'])
})

test('Ctrl-C undoes what was deferred before the process ends', async () => {
  const script = `
    import { withCleanup } from ${JSON.stringify(new URL('cleanup.ts', import.meta.url).href)}
    await withCleanup(async (defer) => {
      defer(async () => console.log('undone'))
      console.log(process.pid)
      await new Promise((resolve) => setTimeout(resolve, 60_000))
    })`
  const child = startChild(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script])
  process.kill(Number(await child.firstLine()), 'SIGINT')
  expect(await child.ended).toBe(130)
  expect(child.lastLines()).toContain('undone')
})

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

test('Ctrl-C undoes what every work under way deferred before the process ends', async () => {
  const script = `
    import { withCleanup } from ${JSON.stringify(new URL('cleanup.ts', import.meta.url).href)}
    const work = (name, turns) => withCleanup(async (defer) => {
      defer(async () => {
        for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
        console.log('undone ' + name)
      })
      await new Promise((resolve) => setTimeout(resolve, 60_000))
    })
    void work('first', 0)
    void work('second', 50)
    console.log(process.pid)`
  const child = startChild(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script])
  process.kill(Number(await child.firstLine()), 'SIGINT')
  expect(await child.ended).toBe(130)
  expect(child.lastLines()).toMatch(/undone first\n[^]*undone second/)
})

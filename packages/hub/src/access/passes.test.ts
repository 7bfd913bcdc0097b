import type { Principal } from '@herma/contract'
import { expect, test } from 'vitest'
import { Passes } from './passes.ts'

const ana: Principal = { id: 'user:ana', kind: 'user', name: 'ana', role: 'admin', scopes: null, servers: null }

test('a pass is worth its principal while the work lasts, and nothing afterwards', async () => {
  const passes = new Passes()
  const pass = await passes.lend(ana, async (lent) => {
    expect(passes.principalOf(lent)).toBe(ana)
    expect(passes.principalOf(`${lent}x`)).toBeUndefined()
    return lent
  })
  expect(passes.principalOf(pass)).toBeUndefined()
  const failed = passes.lend(ana, async (lent) => Promise.reject(new Error(lent)))
  const { message } = (await failed.catch((error: unknown) => error)) as Error
  expect([message.slice(0, 3), passes.principalOf(message)]).toEqual(['hp_', undefined])
})

test('there is a limit to how many are lent at once', async () => {
  const passes = new Passes()
  let finish = () => {}
  const over = new Promise<void>((resolve) => {
    finish = resolve
  })
  const lent = Array.from({ length: 100 }, () => passes.lend(ana, () => over))
  await expect(passes.lend(ana, () => over)).rejects.toMatchObject({ code: 'OVERLOADED' })
  finish()
  await Promise.all(lent)
  await passes.lend(ana, () => over)
})

import { expect, test } from 'vitest'

test('leaves a rejection behind', async () => {
  void Promise.reject(new Error('nobody waits for me'))
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(1).toBe(1)
})

import { beforeAll, expect, test } from 'vitest'

beforeAll(() => {
  throw new Error('no database')
})
test('never begins', () => expect(1).toBe(1))

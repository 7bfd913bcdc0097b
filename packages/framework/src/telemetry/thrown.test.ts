import { expect, test } from 'vitest'
import { messageOfThrown, textOfThrown, typeOfThrown } from './thrown.ts'

test.each([undefined, null, 5, 5n, 'text', Symbol('s'), {}, Object.create(null), () => {}])(
  'whatever is thrown has words and a type (%#)',
  (thrown) => {
    expect(textOfThrown(thrown)).toBeTypeOf('string')
    expect(messageOfThrown(thrown)).toBeTypeOf('string')
    expect(typeOfThrown(thrown)).toBe('Error')
  },
)

test('an error is named by its class and told by its message', () => {
  expect(typeOfThrown(new RangeError('too far'))).toBe('RangeError')
  expect(messageOfThrown(new RangeError('too far'))).toBe('too far')
  expect(textOfThrown(new RangeError('too far'))).toContain('RangeError: too far')
})

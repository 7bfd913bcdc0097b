import { expect, test } from 'vitest'
import { median, percentile } from './percentile.ts'

test('a percentile is a value that occurred', () => {
  const values = Array.from({ length: 100 }, (_, index) => index + 1)
  expect(percentile(values, 0.5)).toBe(51)
  expect(percentile(values, 0.99)).toBe(100)
  expect(percentile([7], 0.99)).toBe(7)
  expect(percentile([], 0.5)).toBeNaN()
})

test('the median does not depend on the order, nor change it', () => {
  const values = [9, 1, 5]
  expect(median(values)).toBe(5)
  expect(values).toEqual([9, 1, 5])
  expect(median([4, 2])).toBe(3)
  expect(median([])).toBeNaN()
})

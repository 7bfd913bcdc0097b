import { expect, test } from 'vitest'
import { countLines } from './measure-hello.ts'

test('lines with code are counted, comments and empty lines are not', () => {
  expect(countLines('// A comment.\nimport x from "x"\n\n  // Another.\nx() // Run it.\n')).toBe(2)
})

import { expect, test } from 'vitest'
import * as framework from '@herma/framework'

test('the public names of the package are exactly these', () => {
  expect(Object.keys(framework)).toEqual(['serveStdio'])
})

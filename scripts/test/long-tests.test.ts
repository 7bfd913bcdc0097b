import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { long } from '../../vitest.config.ts'
import { root } from '../prepare/repository.mjs'

test('every file that is left out of a quick run exists, so that one that was moved stays out', () => {
  expect(long.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

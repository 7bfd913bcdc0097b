import { expect, test } from 'vitest'
import { root } from '../prepare/repository.mjs'
import { explainText } from './check-places.mjs'

test('a folder of this machine is found with its line', () => {
  expect(explainText('a.ts', `ok\nconst path = '${root}/x'`)).toEqual([expect.stringMatching(/^a\.ts:2 names /)])
})

test('the home of a person is found, the home of an example is not', () => {
  const home = ['', 'home', 'grace', 'x'].join('/')

  expect(explainText('a.md', home)).toHaveLength(1)
  expect(explainText('a.md', '/home/me/files')).toEqual([])
})

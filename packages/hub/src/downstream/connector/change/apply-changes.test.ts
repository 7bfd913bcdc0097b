import { expect, test } from 'vitest'
import type { Descriptor } from '../../../wire/index.ts'
import { applyChanges } from './apply-changes.ts'
import { noDescriptors } from '../../descriptor/descriptors.ts'

const tools = (...entries: (string | Descriptor)[]) => ({
  tools: entries.map((entry) => (typeof entry === 'string' ? { name: entry } : entry)),
})

test.each([
  ['nothing changed', tools('a', 'b'), tools('a'), tools('a'), tools('a', 'b')],
  ['one came', tools('a', 'b'), tools('a'), tools('a', 'c'), tools('a', 'b', 'c')],
  ['one went', tools('a', 'b'), tools('a', 'b'), tools('b'), tools('b')],
  ['one went that the base lacks', tools('b'), tools('a', 'b'), tools('b'), tools('b')],
  ['one came that the base has', tools('a', 'c'), tools('a'), tools('a', 'c'), tools('a', 'c')],
  [
    'one is different',
    tools('a', 'b'),
    tools('a'),
    tools({ name: 'a', title: 'A' }),
    tools({ name: 'a', title: 'A' }, 'b'),
  ],
  [
    'one differs from the base but did not change',
    tools({ name: 'a', title: 'A' }),
    tools('a'),
    tools('a'),
    tools({ name: 'a', title: 'A' }),
  ],
])('%s', (_, base, before, after, expected) => {
  expect(applyChanges({ ...noDescriptors, ...base }, before, after)).toEqual({ ...noDescriptors, ...expected })
})

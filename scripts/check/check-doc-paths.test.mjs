import { expect, test } from 'vitest'
import { explainDocument } from './check-doc-paths.mjs'

test('paths that exist pass, whether from the root, the hub or the packages', () => {
  const text = 'See `scripts/check.mjs`, `packages/{contract,web}/package.json`, `scripts/*.mjs` and `platform/log.ts`.'

  expect(explainDocument('README.md', text)).toEqual([])
})

test('a path that is gone is named with its line', () => {
  expect(explainDocument('docs/guide.md', 'First.\nLook into `scripts/gone.mjs`.')).toEqual([
    "docs/guide.md:2 names 'scripts/gone.mjs', which does not exist.",
  ])
})

test('one missing choice in braces is enough', () => {
  expect(explainDocument('README.md', '`packages/{contract,nothing}/package.json`')).toHaveLength(1)
})

test('a broken relative link is found, a web address and an anchor are left alone', () => {
  const text = '[a](LICENSE) [b](https://example.com/x) [c](#part) [d](docs/none.md#part)'

  expect(explainDocument('README.md', text)).toEqual(["README.md:1 names 'docs/none.md', which does not exist."])
})

test('commands, addresses, packages, builds and code blocks are not paths', () => {
  const text =
    '`/api/status` `@herma/contract` `packages/hub/dist/herma.js` `tools/call` `~/.x/y.json`\n```\n`a/b.ts`\n```'

  expect(explainDocument('README.md', text)).toEqual([])
})

import { expect, test } from 'vitest'
import { copyExamples } from './copy-examples.ts'

const read = (path: string) => `// ${path}\n`

test('a marker gets the code of its example, and keeps it when it runs again', () => {
  const once = copyExamples('Before.\n\n<!-- example: examples/a.mjs -->\n\nAfter.\n', read)

  expect(once).toBe('Before.\n\n<!-- example: examples/a.mjs -->\n\n```js\n// examples/a.mjs\n```\n\nAfter.\n')
  expect(copyExamples(once, read)).toBe(once)
})

test('old code after a marker is replaced, other code is left alone', () => {
  const document = '```sh\nnpm start\n```\n<!-- example: a.ts -->\n```ts\nold\n```\n```sh\nls\n```\n'

  expect(copyExamples(document, read)).toBe(
    '```sh\nnpm start\n```\n<!-- example: a.ts -->\n\n```ts\n// a.ts\n```\n```sh\nls\n```\n',
  )
})

test('a block in another language right after a marker is kept', () => {
  const document = '<!-- example: a.json -->\n\n```console\n$ ls\n```\n'
  const once = copyExamples(document, read)

  expect(once).toBe('<!-- example: a.json -->\n\n```json\n// a.json\n```\n\n```console\n$ ls\n```\n')
  expect(copyExamples(once, read)).toBe(once)
})

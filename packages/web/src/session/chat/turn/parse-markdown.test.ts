import { expect, test } from 'vitest'
import { parseInline, parseMarkdown } from './parse-markdown.ts'

test('paragraphs, headings, lists, quotes and code are told apart', () => {
  const source = [
    '# Title',
    'one',
    'two',
    '',
    '- a',
    '  more of a',
    '- b',
    '3. c',
    '4) d',
    '> said',
    '> so',
    '```ts',
    '# no heading',
    '',
    '```',
    'end',
  ].join('\r\n')
  expect(parseMarkdown(source)).toEqual([
    { type: 'heading', text: 'Title' },
    { type: 'paragraph', text: 'one\ntwo' },
    { type: 'list', isOrdered: false, start: 1, items: ['a\nmore of a', 'b'] },
    { type: 'list', isOrdered: true, start: 3, items: ['c', 'd'] },
    { type: 'quote', text: 'said\nso' },
    { type: 'code', language: 'ts', text: '# no heading\n' },
    { type: 'paragraph', text: 'end' },
  ])
})

test('code that is still being written is code already', () => {
  expect(parseMarkdown('```\nlet a = 1')).toEqual([{ type: 'code', language: '', text: 'let a = 1' }])
})

test('pieces of a line are found, and a link leads to the web only', () => {
  expect(
    parseInline('a `b*c*` **d** *e* [f](https://x.test/1) https://y.test/2. [g](javascript:1) <b>h</b> 2 * 3 * 4'),
  ).toEqual([
    { type: 'text', text: 'a ' },
    { type: 'code', text: 'b*c*' },
    { type: 'text', text: ' ' },
    { type: 'strong', text: 'd' },
    { type: 'text', text: ' ' },
    { type: 'emphasis', text: 'e' },
    { type: 'text', text: ' ' },
    { type: 'link', text: 'f', href: 'https://x.test/1' },
    { type: 'text', text: ' ' },
    { type: 'link', text: 'https://y.test/2', href: 'https://y.test/2' },
    { type: 'text', text: '. [g](javascript:1) <b>h</b> 2 * 3 * 4' },
  ])
})

test('nothing that was written is lost, however odd it is', () => {
  const odd = `${'*`[('.repeat(2000)} - \n> \n#\n1.`
  const seen = parseMarkdown(odd).map((block) => ('text' in block ? block.text : block.items.join('')))
  expect(seen.join('').length).toBeGreaterThan(8000)
})

import { expect, test } from 'vitest'
import { matchUriTemplate } from './match-uri-template.ts'

test.each([
  ['notes://{id}', 'notes://a%2Fb', { id: 'a/b' }],
  ['notes://{id}', 'notes://100%', { id: '100%' }],
  ['notes://{id}', 'notes://a/b', undefined],
  ['notes://{folder}/{id}', 'notes://work/1', { folder: 'work', id: '1' }],
  ['file:///{+path}', 'file:///a/b.txt', { path: 'a/b.txt' }],
  ['point://{x,y}', 'point://1,2', { x: '1', y: '2' }],
  ['list://{all*}', 'list://1,2,3', { all: '1,2,3' }],
  ['tree://base{/branch,leaf}', 'tree://base/a/b', { branch: 'a', leaf: 'b' }],
  ['page://one{#part}', 'page://one#top', { part: 'top' }],
  ['file://name{.ending}', 'file://name.md', { ending: 'md' }],
  ['car://red{;doors}', 'car://red;doors=4', { doors: '4' }],
  ['word://{start:3}', 'word://abc', { start: 'abc' }],
  ['find://notes{?q,limit}', 'find://notes?limit=2&q=a%20b', { q: 'a b', limit: '2' }],
  ['find://notes{?q,limit}', 'find://notes?q=1', { q: '1' }],
  ['find://notes{?q,limit}', 'find://notes', {}],
  ['find://notes{?q,limit}', 'find://notes?other=1', undefined],
  ['find://notes?kind=x{&q}', 'find://notes?kind=x&q=1', { q: '1' }],
  ['find://notes?kind=x{&q}', 'find://notes?kind=y&q=1', undefined],
  ['a.b://{id}', 'aXb://1', undefined],
  ['notes://{id}', `notes://${'x'.repeat(100_000)}`, undefined],
])('%s reads %s', (template, uri, variables) => {
  expect(matchUriTemplate(template)(uri)).toEqual(variables)
})

test('a template whose query is not its end cannot be read', () => {
  expect(() => matchUriTemplate('find://{?q}/more')).toThrow('nothing may follow')
})

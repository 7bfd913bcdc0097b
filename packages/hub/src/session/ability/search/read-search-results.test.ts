import { expect, test } from 'vitest'
import { readSearchResults } from './read-search-results.ts'

const cat = { title: 'Cats', url: 'https://example.com/cats', snippet: 'All about cats.' }
const dog = { title: 'Dogs', url: 'https://example.com/dogs', snippet: '' }

test.each([
  ['a list of objects', { results: [{ title: 'Cats', url: cat.url, description: cat.snippet }] }],
  ['a list far inside', { web: { pages: { organic: [{ name: 'Cats', link: cat.url, content: cat.snippet }] } } }],
  ['a bare list', [{ title: 'Cats', href: cat.url, text: cat.snippet }]],
])('reads %s, as a structure and as text', (_name, value) => {
  const expected = { answer: null, results: [cat] }
  expect(readSearchResults({ content: [], structuredContent: value }, '')).toEqual(expected)
  expect(readSearchResults({ content: [] }, JSON.stringify(value))).toEqual(expected)
})

test('an answer beside the results is kept', () => {
  const structuredContent = { answer: 'They purr.', results: [cat] }
  expect(readSearchResults({ content: [], structuredContent }, '')).toEqual({ answer: 'They purr.', results: [cat] })
})

test('reads titles and addresses one below the other', () => {
  const text = `Title: Cats\nDescription: All about cats.\nURL: ${cat.url}\n\nTitle: Dogs\nURL: ${dog.url}\n\nTitle: No address`
  expect(readSearchResults({ content: [] }, text)).toEqual({ answer: null, results: [cat, dog] })
})

test('reads links of Markdown', () => {
  const text = `1. [Cats](${cat.url}) - All about cats.\n2. [Dogs](${dog.url})`
  expect(readSearchResults({ content: [] }, text)).toEqual({ answer: null, results: [cat, dog] })
})

test('what has no addresses is an answer', () => {
  expect(readSearchResults({ content: [] }, 'Cats purr.')).toEqual({ answer: 'Cats purr.', results: [] })
  const odd = { results: [{ title: 'x', url: 'javascript:alert(1)' }] }
  expect(readSearchResults({ content: [] }, JSON.stringify(odd)).results).toEqual([])
})

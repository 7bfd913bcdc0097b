import { expect, test } from 'vitest'
import { searchWords } from './search-words.ts'

test.each([
  ['listPullRequests', 'listing a pull request'],
  ['get_HTTPResponse', 'HTTP responses'],
  ['create-issue', 'creating an issue'],
  ['searches', 'search'],
  ['directories', 'directory'],
  ['stopped', 'stop'],
  ['Größe', 'grosse größe'],
  ['oauth2.token', 'OAuth2 tokens'],
  ['JavaScript', 'javascript'],
  ['github', 'GitHub'],
])('%j meets %j', (one, other) => {
  const words = new Set(searchWords(other))
  expect(searchWords(one).some((word) => words.has(word))).toBe(true)
})

test.each([
  ['status', ['status']],
  ['class', ['class']],
  ['this is the', []],
  ['the id of a page', ['id', 'pag']],
  ['s3 base64', ['s3', 'base64']],
  ['', []],
  ['_-./', []],
  ['listPullRequests', ['list', 'pull', 'request']],
  ['GitHub getFile', ['git', 'hub', 'github', 'get', 'fil']],
  ['XMLHttpRequest', ['xml', 'http', 'request']],
])('%j is %j', (text, words) => {
  expect(searchWords(text)).toEqual(words)
})

test('scripts without spaces are cut into pairs', () => {
  expect(searchWords('读取文件')).toEqual(['读取', '取文', '文件'])
  expect(searchWords('字')).toEqual(['字'])
})

test('a run that is no word is cut short', () => {
  expect(searchWords('a'.repeat(10_000))).toEqual(['a'.repeat(40)])
})

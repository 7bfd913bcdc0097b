import { expect, test } from 'vitest'
import { readOpenAiPath } from './openai-path.ts'

test.each([
  ['/v1/chat/completions', { api: 'chat.completions', session: null, model: null }],
  ['/v1/sessions/coder/responses', { api: 'responses', session: 'coder', model: null }],
  ['/v1/models/coder', { api: 'models', session: null, model: 'coder' }],
  ['/v1/sessions/coder/models', { api: 'models', session: 'coder', model: null }],
  ['/v1/responses/resp_1', null],
  ['/v1/sessions/../responses', null],
  ['/v1/embeddings', null],
])('%s is %j', (path, expected) => {
  expect(readOpenAiPath(path)).toEqual(expected)
})

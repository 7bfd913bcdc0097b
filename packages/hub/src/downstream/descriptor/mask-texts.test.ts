import { expect, test } from 'vitest'
import { readJson, writeJson } from '../../wire/index.ts'
import { maskTexts } from './mask-texts.ts'

const redact = (text: string) => text.replaceAll('s3cret-value', '••••')

test('words of a descriptor hold no secret, and what it is called stays', () => {
  const tool = {
    name: 'say-s3cret-value',
    description: 'Uses s3cret-value.',
    inputSchema: { properties: { key: { default: 's3cret-value', enum: ['a', 's3cret-value'] } }, required: [] },
  }
  expect(maskTexts(tool, redact)).toEqual({
    name: 'say-s3cret-value',
    description: 'Uses ••••.',
    inputSchema: { properties: { key: { default: '••••', enum: ['a', '••••'] } }, required: [] },
  })
})

test('what holds none is passed on as it is', () => {
  const tool = { name: 'plain', description: 'Says nothing.' }
  expect(maskTexts(tool, redact)).toBe(tool)
  expect(maskTexts(undefined, redact)).toBeUndefined()
})

test('the text of what was read keeps all but the secret', () => {
  const text = '{"name":"a","description":"s3cret-value","inputSchema":{"maximum":1E400,"enum":[1.0]}}'
  expect(writeJson(maskTexts(readJson(text), redact))).toBe(text.replace('s3cret-value', '••••'))
})

test('a secret that a repeated key or an escape hides is masked too', () => {
  const hidden = readJson('{"name":"a","description":"s3cret-value","description":"b"}')
  expect(writeJson(maskTexts(hidden, redact))).toBe('{"name":"a","description":"b"}')
  const escaped = readJson('{"name":"a","description":"s3cret\\u002dvalue"}')
  expect(writeJson(maskTexts(escaped, redact))).toBe('{"name":"a","description":"••••"}')
})

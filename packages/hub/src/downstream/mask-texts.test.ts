import { expect, test } from 'vitest'
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

import { expect, test } from 'vitest'

import { AccessSettingsPatch } from './access.ts'

const problemOf = (patch: object) => AccessSettingsPatch.safeParse(patch).error?.issues[0]?.message

test.each([
  ['https://MCP.example.com/', 'https://mcp.example.com'],
  ['http://192.0.2.7:4376', 'http://192.0.2.7:4376'],
])('the public URL %s is kept as the origin %s', (publicUrl, origin) => {
  expect(AccessSettingsPatch.parse({ publicUrl })).toEqual({ publicUrl: origin })
})

test.each([
  'https://example.com/herma',
  'https://ada:pass@example.com',
  'https://example.com?a',
  'https://example.com#a',
])('the public URL %s is refused, because it is more than an origin', (publicUrl) => {
  expect(problemOf({ publicUrl })).toBe('Write only scheme, host and port.')
})

test.each(['example.com', 'ftp://example.com', ''])('the public URL "%s" is refused with an example', (publicUrl) => {
  expect(problemOf({ publicUrl })).toContain('https://mcp.example.com')
})

test.each(['10.0.0.0/8', 'fd00::/8', '10.1.2.3', '::1', 'intranet', '*.corp.example', '3com.example'])(
  '%s may be listed as reachable',
  (entry) => {
    expect(problemOf({ reachable: [entry] })).toBeUndefined()
  },
)

test.each(['10.0.0.0/99', '10.0.0.999', 'http://intranet', 'a b', '*', ''])(
  '"%s" is refused as reachable, since it would never match',
  (entry) => {
    expect(problemOf({ reachable: [entry] })).toContain('10.0.0.0/8')
  },
)

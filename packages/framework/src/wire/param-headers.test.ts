import { describe, expect, test } from 'vitest'
import { checkParamHeaders, findParamHeaders, mirrorParams } from './param-headers.ts'

const annotated = (name: unknown) => ({ type: 'string', 'x-mcp-header': name })
const region = [{ header: 'mcp-param-region', path: ['region'] }]

describe('the annotations of an input schema', () => {
  test('are found along chains of properties, in order', () => {
    const schema = {
      type: 'object',
      properties: {
        region: annotated('Region'),
        plain: { type: 'string' },
        where: { type: 'object', properties: { zone: annotated('Zone-2') } },
      },
    }
    expect(findParamHeaders(schema)).toEqual([
      { header: 'mcp-param-region', path: ['region'] },
      { header: 'mcp-param-zone-2', path: ['where', 'zone'] },
    ])
  })

  test.each([
    ['no schema', undefined],
    ['a schema that is a list', []],
    ['no properties', { type: 'object' }],
    ['properties that are a list', { properties: [annotated('A')] }],
    ['a property that is true', { properties: { a: true } }],
    ['an annotation in a combination', { anyOf: [{ properties: { a: annotated('A') } }] }],
    ['an annotation of list items', { properties: { a: { items: { properties: { b: annotated('B') } } } } }],
    ['an annotation at the root', annotated('A')],
    ['an empty name', { properties: { a: annotated('') } }],
    ['a name with a space', { properties: { a: annotated('a b') } }],
    ['a name with a line break', { properties: { a: annotated('a\r\nHost: evil') } }],
    ['a name with a colon', { properties: { a: annotated('a:') } }],
    ['a name that is no ASCII', { properties: { a: annotated('Größe') } }],
    ['a name that is a number', { properties: { a: annotated(1) } }],
  ])('are not found in %s', (_, schema) => {
    expect(findParamHeaders(schema)).toEqual([])
  })

  test('that go on for ever are followed only so far', () => {
    const schema: Record<string, unknown> = { 'x-mcp-header': 'Deep' }
    schema['properties'] = { again: schema }
    expect(findParamHeaders(schema).length).toBeLessThan(20)
  })
})

describe('mirrored headers', () => {
  test.each([
    ['text', { region: 'eu' }, { 'mcp-param-region': 'eu' }],
    ['text in Base64', { region: 'größe' }, { 'mcp-param-region': '=?base64?Z3LDtsOfZQ==?=' }],
    ['text that did not need Base64', { region: 'eu' }, { 'mcp-param-region': '=?base64?ZXU=?=' }],
    ['empty text', { region: '' }, { 'mcp-param-region': '' }],
    ['a number', { region: 42 }, { 'mcp-param-region': '42' }],
    ['a number in another spelling', { region: 42 }, { 'mcp-param-region': '42.0' }],
    ['zero', { region: 0 }, { 'mcp-param-region': '0' }],
    ['a boolean', { region: false }, { 'mcp-param-region': 'false' }],
    ['an absent argument and an absent header', {}, {}],
    ['null and an absent header', { region: null }, {}],
    ['no arguments at all', undefined, {}],
    ['another header that nobody asked for', { region: 'eu' }, { 'mcp-param-region': 'eu', 'mcp-param-x': '1' }],
  ])('agree with %s', (_, args, headers) => {
    expect(checkParamHeaders(region, headers, args)).toBeUndefined()
  })

  test.each([
    ['is missing', { region: 'eu' }, {}],
    ['is missing', { region: 'eu' }, { 'mcp-param-region': ['eu', 'eu'] }],
    ['is given but region is not among the arguments', {}, { 'mcp-param-region': 'eu' }],
    ['is given but region is not among the arguments', { region: null }, { 'mcp-param-region': '' }],
    ['is given but region is not among the arguments', [], { 'mcp-param-region': 'eu' }],
    ['does not match the argument region', { region: 'eu' }, { 'mcp-param-region': 'us' }],
    ['does not match the argument region', { region: 'eu' }, { 'mcp-param-region': 'EU' }],
    ['does not match the argument region', { region: 42 }, { 'mcp-param-region': '43' }],
    ['does not match the argument region', { region: 0 }, { 'mcp-param-region': '' }],
    ['does not match the argument region', { region: true }, { 'mcp-param-region': '1' }],
    ['must be Base64-encoded', { region: 'größe' }, { 'mcp-param-region': 'gr\u00f6\u00dfe' }],
    ['must be Base64-encoded', { region: 'a' }, { 'mcp-param-region': '=?base64?YQ?=' }],
  ])('are refused, since one %s', (problem, args, headers) => {
    expect(checkParamHeaders(region, headers, args)).toContain(problem)
  })

  test.each(['__proto__', 'constructor', 'toString'])('do not take %s for an argument that nobody gave', (key) => {
    const mirrored = [{ header: 'mcp-param-x', path: [key] }]
    expect(checkParamHeaders(mirrored, {}, {})).toBeUndefined()
    expect(mirrorParams(mirrored, {})).toEqual([])
    const own: unknown = JSON.parse(`{"${key}":"1"}`)
    expect(mirrorParams(mirrored, own)).toEqual(['mcp-param-x', '1'])
  })

  test('are made from arguments so that they agree with them', () => {
    const mirrored = [
      ...region,
      { header: 'mcp-param-zone', path: ['where', 'zone'] },
      { header: 'mcp-param-absent', path: ['absent'] },
      { header: 'mcp-param-object', path: ['where'] },
    ]
    const args = { region: ' größe\n', where: { zone: -1.5 } }
    const flat = mirrorParams(mirrored, args)
    expect(flat).toEqual(['mcp-param-region', '=?base64?IGdyw7bDn2UK?=', 'mcp-param-zone', '-1.5'])
    const headers = { [flat[0]!]: flat[1]!, [flat[2]!]: flat[3]! }
    expect(checkParamHeaders(mirrored.slice(0, 3), headers, args)).toBeUndefined()
  })
})

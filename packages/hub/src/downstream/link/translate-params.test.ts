import { describe, expect, test } from 'vitest'
import { metaKeys, modernRevision, type Call, type Caller, type Era, type Params } from '../../wire/index.ts'
import { RequestCall } from './request-call.ts'
import { translateParams } from './translate-params.ts'

function callOf(era: Era, params: Params | undefined, caller: Partial<Caller> = {}): Call {
  const call = new RequestCall('tools/call', undefined, 'legacy', { resolve() {}, reject() {} })
  const base: Caller = {
    principal: 'operator',
    server: 'facade',
    era,
    revision: era === 'modern' ? modernRevision : '2025-11-25',
    clientInfo: { name: 'client', version: '1' },
    capabilities: { sampling: {} },
    connectionId: null,
    logLevel: null,
  }
  return Object.assign(call, { params, caller: { ...base, ...caller } })
}

const modernMeta = {
  [metaKeys.revision]: modernRevision,
  [metaKeys.clientInfo]: { name: 'client', version: '1' },
  [metaKeys.clientCapabilities]: { sampling: {} },
  [metaKeys.logLevel]: 'info',
}

describe('to a legacy downstream', () => {
  test.each([undefined, {}, { name: 'a', arguments: { _meta: 1 } }])('%j goes as it is', (params) => {
    expect(translateParams(callOf('legacy', params), 'legacy', 9)).toBe(params)
  })

  test('the metadata of a legacy client goes along, with our id as progress token', () => {
    const params = { name: 'a', _meta: { progressToken: 'p', 'x/y': 1 } }
    expect(translateParams(callOf('legacy', params), 'legacy', 9)).toEqual({
      name: 'a',
      _meta: { progressToken: 9, 'x/y': 1 },
    })
    expect(params._meta.progressToken).toBe('p')
  })

  test('the metadata of a modern client loses what only modern servers know', () => {
    const params = { name: 'a', _meta: { ...modernMeta, 'x/y': 1, progressToken: 0 } }
    expect(translateParams(callOf('modern', params), 'legacy', 9)).toEqual({
      name: 'a',
      _meta: { 'x/y': 1, progressToken: 9 },
    })
  })

  test('metadata of which nothing is left is left out', () => {
    expect(translateParams(callOf('modern', { name: 'a', _meta: modernMeta }), 'legacy', 9)).toEqual({ name: 'a' })
  })
})

describe('to a modern downstream', () => {
  test('a modern client speaks for itself', () => {
    const params = { name: 'a', _meta: { ...modernMeta, 'x/y': 1, progressToken: 'p' } }
    expect(translateParams(callOf('modern', params), 'modern', 9)).toEqual({
      name: 'a',
      _meta: { ...modernMeta, 'x/y': 1, progressToken: 9 },
    })
  })

  test('a legacy client is introduced, with what it can be asked', () => {
    expect(translateParams(callOf('legacy', { name: 'a' }, { logLevel: 'error' }), 'modern', 9)).toEqual({
      name: 'a',
      _meta: {
        [metaKeys.revision]: modernRevision,
        [metaKeys.clientInfo]: { name: 'client', version: '1' },
        [metaKeys.clientCapabilities]: { sampling: {} },
        [metaKeys.logLevel]: 'error',
      },
    })
  })

  test('a legacy client cannot claim another revision through its metadata', () => {
    const params = { _meta: { [metaKeys.revision]: '1999-01-01', [metaKeys.clientCapabilities]: { roots: {} } } }
    expect(translateParams(callOf('legacy', params), 'modern', 9)!['_meta']).toMatchObject({
      [metaKeys.revision]: modernRevision,
      [metaKeys.clientCapabilities]: { sampling: {} },
    })
  })

  test('a call without params gets them', () => {
    expect(translateParams(callOf('legacy', undefined, { clientInfo: undefined }), 'modern', 9)).toEqual({
      _meta: { [metaKeys.revision]: modernRevision, [metaKeys.clientCapabilities]: { sampling: {} } },
    })
  })
})

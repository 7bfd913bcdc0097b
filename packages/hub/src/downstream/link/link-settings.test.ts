import { ConnectorInput } from '@herma/contract'
import { describe, expect, test } from 'vitest'
import { joinUrl, replaceTokens, toLinkSettings } from './link-settings.ts'

const tokens = { cwd: '/work', session_id: 's-1', thread_id: 't-1', server_id: 'facade', hop_limit: '3' }

describe('tokens', () => {
  test.each([
    ['{cwd}/a', '/work/a'],
    ['{session_id}{thread_id}', 's-1t-1'],
    ['--server={server_id} --hops={hop_limit}', '--server=facade --hops=3'],
    ['{unknown} {} {{cwd}}', '{unknown} {} {/work}'],
    ['{"json":true}', '{"json":true}'],
    ['{constructor}{__proto__}', '{constructor}{__proto__}'],
    ['', ''],
  ])('in %j are replaced: %j', (text, expected) => {
    expect(replaceTokens(text, tokens)).toBe(expected)
  })

  test('in a value are not looked for again', () => {
    expect(replaceTokens('{cwd}', { ...tokens, cwd: '{session_id}$&' })).toBe('{session_id}$&')
  })
})

describe('secrets', () => {
  const values: Record<string, string> = { TOKEN: 'a{cwd}$&', PATH: '/../@evil.example/?x#' }
  const secretOf = (name: string) => {
    if (values[name] === undefined) throw new Error(`no ${name}`)
    return values[name]
  }
  const of = { connectorId: 'id', capabilities: {}, authorization: null }

  test('stand in for their references in headers, variables and arguments, as they are', () => {
    const connector = ConnectorInput.parse({
      name: 'c',
      transport: 'stdio',
      cmd: '{secret:TOKEN}',
      args: ['--token={secret:TOKEN}', '{secret:}', '{secret:1}', '{cwd}'],
      env: [{ name: 'A', value: '{secret:TOKEN}{session_id}' }],
      headers: [{ name: 'Authorization', value: 'Bearer {secret:TOKEN}' }],
    })
    expect(toLinkSettings(connector, { ...tokens, secretOf }, of)).toMatchObject({
      command: '{secret:TOKEN}',
      args: ['--token=a{cwd}$&', '{secret:}', '{secret:1}', '/work'],
      env: { A: 'a{cwd}$&s-1' },
      headers: ['Authorization', 'Bearer a{cwd}$&'],
    })
  })

  test('in an address are one part of it, whatever signs they hold', () => {
    const connector = ConnectorInput.parse({
      name: 'c',
      transport: 'stream',
      baseUrl: 'https://a.example/{secret:PATH}?key={secret:TOKEN}',
      endpointPath: '/x/{secret:PATH}',
    })
    const { url } = toLinkSettings(connector, { ...tokens, secretOf }, of)
    expect(url?.hostname).toBe('a.example')
    expect(url?.pathname).toBe('/%2F..%2F%40evil.example%2F%3Fx%23/x/%2F..%2F%40evil.example%2F%3Fx%23')
    expect(url?.searchParams.get('key')).toBe('a{cwd}$&')
  })

  test('that are missing are said by name', () => {
    const connector = ConnectorInput.parse({ name: 'c', transport: 'stdio', cmd: 'x', args: ['{secret:NONE}'] })
    expect(() => toLinkSettings(connector, { ...tokens, secretOf }, of)).toThrow('no NONE')
    expect(() => toLinkSettings(connector, tokens, of)).toThrow(/No secret is named 'NONE'.*herma secret set NONE/)
  })
})

test.each([
  ['https://a.example', '', 'https://a.example/'],
  ['https://a.example/mcp', '', 'https://a.example/mcp'],
  ['https://a.example', '/mcp', 'https://a.example/mcp'],
  ['https://a.example/', 'mcp', 'https://a.example/mcp'],
  ['https://a.example/base/', '/mcp', 'https://a.example/base/mcp'],
  ['https://a.example/base', 'mcp?x=1', 'https://a.example/base/mcp?x=1'],
  ['https://a.example/base?key=1', '/mcp', 'https://a.example/base/mcp?key=1'],
  ['http://[::1]:80/a', '/b', 'http://[::1]/a/b'],
  // An endpoint path stays on the host of the base URL, whatever it looks like.
  ['https://a.example', '//evil.example/x', 'https://a.example//evil.example/x'],
  ['https://a.example', 'https://evil.example/', 'https://a.example/https://evil.example/'],
])('%s and the endpoint path %j make %s', (baseUrl, path, expected) => {
  expect(joinUrl(baseUrl, path).href).toBe(expected)
})

describe('the settings of a link', () => {
  test('of a process have the tokens replaced everywhere, the folder first', () => {
    const connector = ConnectorInput.parse({
      name: 'files',
      transport: 'stdio',
      cmd: '{cwd}/run',
      args: ['--root', '{cwd}', '{session_id}'],
      env: [
        { name: 'ROOT', value: '{cwd}' },
        { name: 'EMPTY', value: '' },
      ],
      workingDir: '{cwd}/sub',
    })
    expect(
      toLinkSettings(connector, tokens, { connectorId: 'id', capabilities: {}, authorization: null }),
    ).toMatchObject({
      command: '/work/sub/run',
      args: ['--root', '/work/sub', 's-1'],
      env: { ROOT: '/work/sub', EMPTY: '' },
      workingDir: '/work/sub',
      url: null,
    })
  })

  test('of an HTTP server have the URL joined and the headers in a flat list', () => {
    const connector = ConnectorInput.parse({
      name: 'web',
      transport: 'stream',
      baseUrl: 'https://a.example',
      endpointPath: '/{server_id}',
      headers: [
        { name: 'Authorization', value: 'Bearer {hop_limit}' },
        { name: 'X-Absent' },
        { name: 'X-Empty', value: '' },
      ],
    })
    const settings = toLinkSettings(connector, tokens, {
      connectorId: 'id',
      capabilities: { sampling: {} },
      authorization: null,
    })
    expect(settings.url!.href).toBe('https://a.example/facade')
    expect(settings.headers).toEqual(['Authorization', 'Bearer 3', 'X-Empty', ''])
    expect(settings.capabilities).toEqual({ sampling: {} })
    expect(settings.workingDir).toBe('/work')
  })
})

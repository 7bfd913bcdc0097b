import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { captureTerminal } from '../../../packages/hub/src/cli/capture-terminal.ts'
import { runCli } from '../../../packages/hub/src/cli/run-cli.ts'
import { RawClient } from '../../fixtures/misbehaving/raw-client.ts'
import { startAttackHub, type AttackHub } from './start-attack-hub.ts'
import { stdioConnector } from '../start-test-hub.ts'

let hub: AttackHub

/** Clears the screen, sets the title, goes up a line, forges a line of a log; with C1 controls and separators too. */
const evil = '\u001b[2J\u001b]0;owned\u0007\r\n2026-01-01T00:00:00.000Z error forged\u009b31m\u2028\u0085\u0000'

/** A server that says evil things wherever it can. */
const program = `
const evil = ${JSON.stringify(evil)}
process.stderr.write('stderr ' + evil + '\\n')
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const results = {
    initialize: () => ({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {}, resources: {}, prompts: {} },
      serverInfo: { name: 'evil' + evil, version: evil },
      instructions: evil,
    }),
    'tools/list': () => ({
      tools: [{ name: 'tool', title: evil, description: 'A tool. ' + evil, inputSchema: { type: 'object' } }],
    }),
    'resources/list': () => ({ resources: [{ uri: 'evil://' + evil, name: evil }] }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'prompts/list': () => ({ prompts: [{ name: 'prompt', description: evil }] }),
    'tools/call': () => ({ isError: true, content: [{ type: 'text', text: 'broken ' + evil }] }),
  }
  if (!results[method]) return send({ id, error: { code: -32601, message: 'no ' + evil } })
  send({ id, result: results[method]() })
})`

beforeAll(async () => {
  hub = await startAttackHub({ connectors: [stdioConnector('evil', ['-e', program])] })
  await mkdir(join(home(), 'catalog'), { recursive: true })
})
afterAll(() => hub.stop())

const home = () => join(hub.stateHome, '..')

describe('text of others', () => {
  test('makes one line of one line in the log', async () => {
    // Of a file that cannot be used the log tells the name, which may have any sign but two.
    await writeFile(join(home(), `catalog/${evil.replaceAll('\0', '')}.json`), 'no JSON')
    await hub.api('POST', '/api/catalog/fragments/reload')
    const client = new RawClient(hub.endpoint)
    const info = { name: `client${evil}`, version: evil }
    const hello = { protocolVersion: `2025${evil}`, capabilities: {}, clientInfo: info }
    await client.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello })
    await client.send({ jsonrpc: '2.0', id: evil, method: `nothing${evil}`, params: {} })
    await client.callTool('evil__tool', { text: evil })
    await client.send(`{"jsonrpc":"2.0",${evil}`)
    await hub.ask(`/api/${encodeURIComponent(evil)}`, { headers: { ...hub.operator, 'user-agent': 'a\u00859b31m' } })
    await hub.api('POST', '/api/connectors', { name: 'none', transport: 'stdio', cmd: `/no/such${evil}` })
    await hub.api('POST', '/api/connectors', { name: 'far', transport: 'stream', baseUrl: `http://x${evil}/` })
    await hub.ask('/auth/oauth2/register', { method: 'POST', body: { client_name: evil, redirect_uris: [evil] } })
    await hub.ask(`/auth/oauth2/authorize?client_id=${encodeURIComponent(`https://x.invalid/${evil}`)}`)
    await hub.api('POST', '/api/connectors/evil/test', {})
    expect(hub.log.join('')).toContain('forged')
    for (const line of hub.log) {
      expect(line).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (debug|info|warn|error) /)
      // oxlint-disable-next-line no-control-regex -- Control characters are what this is about.
      expect(line).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]|\n./)
    }
  })

  test('is not obeyed by the terminal of whoever looks at it', async () => {
    const env = { HERMA_STATE_HOME: hub.stateHome, HERMA_CONFIG_HOME: home() }
    const look = async (words: string) => {
      const { terminal, written } = captureTerminal({ env, isTTY: true })
      await runCli(words.split(' '), terminal)
      // How long it has taken is said in place, by Herma itself.
      const text = written.out + written.error.replaceAll('\r\u001B[2K', '')
      expect([words, text === '']).toEqual([words, false])
      expect([words, text.includes('\u001b[2J'), text.includes('\u001b]0;')]).toEqual([words, false, false])
      // oxlint-disable-next-line no-control-regex -- The same.
      expect([words, /[\u0007\u0008\u0080-\u009f]|\r(?!\n)/.exec(text)?.index]).toEqual([words, undefined])
      return text.split('\n').filter((line) => line.startsWith('2026-01-01T00:00:00.000Z error forged'))
    }
    // What a tool answers may have many lines.
    await look('call evil__tool')
    for (const words of [
      'list',
      'show evil',
      'tools evil',
      'logs evil',
      'status',
      'test evil',
      'catalog list',
      'catalog show evil__tool',
      'catalog fragments',
      'catalog scan',
      'catalog pins',
      'catalog search tool',
      'traces list',
      'audit',
      'key list',
      'user list',
      'policy list',
      'secret list',
    ]) {
      expect([words, await look(words)]).toEqual([words, []])
    }
  })
})

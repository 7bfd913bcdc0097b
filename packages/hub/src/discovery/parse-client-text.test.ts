import { expect, test } from 'vitest'

import { parseClientText } from './parse-client-text.ts'

test('comments and trailing commas are read over, but not inside strings', () => {
  const text = `\uFEFF{
    // servers
    "servers": { /* one */ "a": { "url": "https://a.example//x", "note": "a, ] /* no comment */", }, },
  }`
  expect(parseClientText(text, 'mcp.json')).toEqual({
    servers: { a: { url: 'https://a.example//x', note: 'a, ] /* no comment */' } },
  })
})

test('TOML is read as Codex writes it', () => {
  const text = '[mcp_servers.files]\ncommand = "npx"\nargs = ["-y", "files"]\n'
  expect(parseClientText(text, 'config.toml')).toEqual({
    mcp_servers: { files: { command: 'npx', args: ['-y', 'files'] } },
  })
  expect(() => parseClientText('[mcp_servers.files]\ncommand = npx', 'config.toml')).toThrow(
    'config.toml is not TOML: line 2, column 11: ',
  )
})

test('an error names the file and the place but not the text', () => {
  const parse = () => parseClientText('{"a": {"token": hunter2}}', 'mcp.json')
  expect(parse).toThrow(/mcp\.json is not JSON/)
  expect(parse).not.toThrow(/hunter2/)
})

test('an empty file is told from a broken one', () => {
  expect(() => parseClientText(' \n', 'mcp.json')).toThrow('mcp.json is empty.')
})

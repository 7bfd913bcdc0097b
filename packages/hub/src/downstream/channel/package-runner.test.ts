import { expect, test } from 'vitest'
import { runsNpx, runsPackage } from './package-runner.ts'

const started = (line: string) => {
  const [command = '', ...args] = line.split(' ')
  return { command, args }
}

test.each([
  'npx -y @modelcontextprotocol/server-everything',
  '/usr/local/bin/npx server',
  'npm exec --yes server',
  'npm x server',
  'pnpm dlx server',
  'bunx server',
  'uvx mcp-server-git',
  'uv tool run server',
  'uv --quiet run server.py',
  'pipx run server',
  'docker run -i --rm mcp/git',
  'podman run -i image',
])('%s may install first', (line) => {
  expect(runsPackage(started(line))).toBe(true)
})

test.each(['node server.js', 'npm run server', 'docker compose up', 'python -m server', 'pnpm start', 'my-npx server'])(
  '%s does not',
  (line) => {
    expect(runsPackage(started(line))).toBe(false)
  },
)

test('only npx and npm have the cache of npx', () => {
  expect(['npx a', 'npm exec a', 'npm run a', 'uvx a'].map((line) => runsNpx(started(line)))).toEqual([
    true,
    true,
    false,
    false,
  ])
})

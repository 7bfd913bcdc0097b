import type { InteropAgent } from '../runner/client.ts'
import type { Programs } from '../runner/programs.ts'
import { findBinary, platformName } from './find-binary.ts'
import { expectText, runAgent } from './run-agent.ts'

const quiet = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
}

/** Claude Code: `mcp list` connects to what was added. */
export async function describeClaudeCode(programs: Programs): Promise<InteropAgent> {
  const packages = await programs.npm('claude-code')
  const program = await findBinary(packages, `@anthropic-ai/claude-code-${platformName}`, 'claude')
  const claude = (place: Parameters<typeof runAgent>[0], ...args: string[]) =>
    runAgent(place, { agent: 'claude-code', command: [program, 'mcp', ...args], env: quiet })
  return {
    name: 'Claude Code',
    version: await packages.version('@anthropic-ai/claude-code'),
    checks: [
      {
        name: 'added by URL',
        async run(place) {
          expectText(
            await claude(place, 'add', '--transport', 'http', 'herma', place.endpoint),
            /Added HTTP MCP server herma/,
          )
        },
      },
      {
        name: 'added with a slash at its end',
        async run(place) {
          await claude(place, 'add', '--transport', 'http', 'slash', `${place.endpoint}/`)
        },
      },
      {
        name: 'added as a command',
        async run(place) {
          await claude(place, 'add', 'bridge', '--', ...place.stdio)
        },
      },
      {
        name: 'all three connected',
        async run(place) {
          const shown = await claude(place, 'list')
          for (const name of ['herma', 'slash', 'bridge']) expectText(shown, new RegExp(`^${name}: .*Connected`, 'm'))
        },
      },
    ],
  }
}

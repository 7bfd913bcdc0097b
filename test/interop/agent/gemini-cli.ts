import type { InteropAgent } from '../runner/client.ts'
import type { Programs } from '../runner/programs.ts'
import { expectText, runAgent } from './run-agent.ts'

/** Gemini CLI: `mcp list` connects to what was added. */
export async function describeGeminiCli(programs: Programs): Promise<InteropAgent> {
  const node = await programs.node()
  const { file, version } = await programs.npm('gemini-cli')
  const program = file('@google/gemini-cli', 'bundle/gemini.js')
  const gemini = (place: Parameters<typeof runAgent>[0], ...args: string[]) =>
    runAgent(place, {
      agent: 'gemini-cli',
      command: [node, program, 'mcp', ...args],
      // In a folder that nobody trusts it connects to nothing.
      env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    })
  return {
    name: 'Gemini CLI',
    version: await version('@google/gemini-cli'),
    checks: [
      {
        name: 'added by URL',
        async run(place) {
          const shown = await gemini(place, 'add', '--scope', 'user', '--transport', 'http', 'herma', place.endpoint)
          expectText(shown, /MCP server "herma" added/)
        },
      },
      {
        name: 'added as a command',
        async run(place) {
          await gemini(place, 'add', '--scope', 'user', 'bridge', ...place.stdio)
        },
      },
      {
        name: 'both connected',
        async run(place) {
          const shown = await gemini(place, 'list')
          for (const name of ['herma', 'bridge']) expectText(shown, new RegExp(`✓ ${name}: .*Connected`))
        },
      },
    ],
  }
}

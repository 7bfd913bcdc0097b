import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { InteropAgent } from '../runner/client.ts'
import type { Programs } from '../runner/programs.ts'
import { findBinary } from './find-binary.ts'
import { agentHome, expectText, runAgent } from './run-agent.ts'

const quiet = { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }

/** opencode: `mcp list` connects to what its command and its configuration file name. */
export async function describeOpencode(programs: Programs): Promise<InteropAgent> {
  const packages = await programs.npm('opencode')
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const program = await findBinary(packages, `opencode-${platform}-${process.arch}`, 'bin/opencode')
  const opencode = (place: Parameters<typeof runAgent>[0], ...args: string[]) =>
    runAgent(place, { agent: 'opencode', command: [program, 'mcp', ...args], env: quiet })
  return {
    name: 'opencode',
    version: await packages.version('opencode-ai'),
    checks: [
      {
        name: 'added by URL',
        async run(place) {
          await opencode(place, 'add', 'herma', '--url', place.endpoint)
          expectText(await opencode(place, 'list'), /✓ herma connected/)
        },
      },
      {
        name: 'connected by its file',
        async run(place) {
          const file = join(await agentHome(place, 'opencode'), 'opencode.json')
          const mcp = {
            configured: { type: 'remote', url: place.endpoint, enabled: true },
            bridge: { type: 'local', command: place.stdio, environment: place.env, enabled: true },
          }
          await writeFile(file, JSON.stringify({ $schema: 'https://opencode.ai/config.json', mcp }))
          const shown = await opencode(place, 'list')
          for (const name of ['configured', 'bridge']) expectText(shown, new RegExp(`✓ ${name} connected`))
        },
      },
    ],
  }
}

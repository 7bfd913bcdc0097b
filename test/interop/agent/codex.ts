import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { InteropAgent } from '../runner/client.ts'
import type { NpmPackages, Programs } from '../runner/programs.ts'
import { findBinary, platformName } from './find-binary.ts'
import { agentHome, expectText, runAgent } from './run-agent.ts'

/** A login that it starts waits for a browser; without one it is done in a moment. */
const addTimeoutMs = 15_000

/** Codex: adding a hub that asks for no login has to be all there is to do. */
export async function describeCodex(programs: Programs): Promise<InteropAgent> {
  const packages = await programs.npm('codex')
  const program = await findCodex(packages)
  const codex = async (place: Parameters<typeof runAgent>[0], ...args: string[]) =>
    runAgent(place, {
      agent: 'codex',
      command: [program, 'mcp', ...args],
      env: { CODEX_HOME: await agentHome(place, 'codex') },
      timeoutMs: addTimeoutMs,
    })
  return {
    name: 'Codex',
    version: await packages.version('@openai/codex'),
    checks: [
      {
        name: 'added by URL without a login',
        async run(place) {
          const shown = await codex(place, 'add', 'herma', '--url', place.endpoint)
          expectText(shown, /Added global MCP server 'herma'/)
          if (/OAuth|Authorize/.test(shown)) throw new Error(`It started a login:\n${shown}`)
        },
      },
      {
        name: 'added as a command',
        async run(place) {
          await codex(place, 'add', 'bridge', '--', ...place.stdio)
        },
      },
      {
        name: 'listed, with no login to do',
        async run(place) {
          const shown = await codex(place, 'list', '--json')
          expectText(shown, /"name": "herma"/)
          expectText(shown, /"name": "bridge"/)
          if (shown.includes('not_logged_in')) throw new Error(`It wants a login:\n${shown}`)
        },
      },
    ],
  }
}

/** The program stands below the name of its target, of which a package has one. */
export async function findCodex(packages: NpmPackages): Promise<string> {
  const packageName = `@openai/codex-${platformName}`
  // Without the folder there is no program either, which is said below.
  const [target = ''] = await readdir(packages.file(packageName, 'vendor')).catch(() => [])
  return findBinary(packages, packageName, join('vendor', target, 'bin/codex'))
}

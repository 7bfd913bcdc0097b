import { fileURLToPath } from 'node:url'
import type { InteropClient, Place } from '../runner/client.ts'
import { openDriver } from '../runner/driver-session.ts'
import type { Programs } from '../runner/install-clients.ts'

const driver = fileURLToPath(new URL('ai-sdk-driver.mjs', import.meta.url))

/** The MCP client of the AI SDK: tools become tools for a model, and are executed as a model would. */
export async function describeAiSdk({ node, version }: Programs): Promise<InteropClient> {
  const open = async ({ env, answers }: Place, era: string, ...place: string[]) =>
    openDriver({ command: [node, driver, era, answers.name, ...place], env })
  return {
    name: 'AI SDK',
    version: await version('@ai-sdk/mcp'),
    cannot: { 'legacy server samples': 'It does not sample.' },
    ways: [
      { name: 'legacy', open: (place) => open(place, 'legacy', place.endpoint) },
      { name: 'modern', open: (place) => open(place, 'modern', place.endpoint) },
      // It asks a command for its era, and falls back to legacy when the answer takes longer than a second or so.
      { name: 'stdio', open: (place) => open(place, 'any', '--', ...place.stdio) },
    ],
  }
}

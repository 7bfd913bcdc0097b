import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { InteropClient, Place } from '../runner/client.ts'
import { openDriver } from '../runner/driver-session.ts'
import type { Programs } from '../runner/programs.ts'

const source = fileURLToPath(new URL('ai-sdk-driver.mjs', import.meta.url))
const noExactNumbers = 'JavaScript cannot write or show such a number.'
const noRoots = 'It has no roots.'
const noSampling = 'It does not sample.'

/** The MCP client of the AI SDK: tools become tools for a model, and are executed as a model would. */
export async function describeAiSdk(programs: Programs): Promise<InteropClient> {
  const node = await programs.node()
  const { folder, version } = await programs.npm('clients')
  // It finds its packages beside itself.
  const driver = join(folder, 'ai-sdk-driver.mjs')
  await copyFile(source, driver)
  const open = async ({ env, answers }: Place, era: string, ...place: string[]) =>
    openDriver({ command: [node, driver, era, answers.name, ...place], env })
  return {
    name: 'AI SDK',
    version: await version('@ai-sdk/mcp'),
    cannot: {
      'legacy server samples': noSampling,
      samples: noSampling,
      'samples in either era': noSampling,
      roots: noRoots,
      'roots in either era': noRoots,
      'exact numbers': noExactNumbers,
      'error of a server': noExactNumbers,
    },
    ways: [
      { name: 'legacy', era: 'legacy', open: (place) => open(place, 'legacy', place.endpoint) },
      { name: 'modern', era: 'modern', open: (place) => open(place, 'modern', place.endpoint) },
      // It asks a command for its era, and falls back to legacy when the answer takes longer than a second or so.
      { name: 'stdio', era: 'modern', open: (place) => open(place, 'any', '--', ...place.stdio) },
    ],
  }
}

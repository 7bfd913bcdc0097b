import type { Impossible, InteropClient, Place, Way } from '../runner/client.ts'
import { openDriver } from '../runner/driver-session.ts'
import type { Programs } from '../runner/programs.ts'

interface Library {
  readonly title: string
  readonly module: string
  readonly program: 'sdk-client' | 'mcp-go-client'
  readonly cannot: Impossible
}

const sdk: Library = {
  title: 'Go SDK',
  module: 'github.com/modelcontextprotocol/go-sdk',
  program: 'sdk-client',
  cannot: {},
}
const mcpGo: Library = {
  title: 'mcp-go',
  module: 'github.com/mark3labs/mcp-go',
  program: 'mcp-go-client',
  cannot: { 'error of a server': 'It keeps nothing of an error but its text.' },
}

export function describeGoSdk(programs: Programs): Promise<InteropClient> {
  return describe(sdk, programs)
}

export function describeMcpGo(programs: Programs): Promise<InteropClient> {
  return describe(mcpGo, programs)
}

async function describe({ title, module, program, cannot }: Library, { go }: Programs): Promise<InteropClient> {
  const built = await go()
  const open = async ({ env, answers }: Place, era: Way['era'], ...place: string[]) => {
    const { name, sampled, root } = answers
    return openDriver({ command: [built.program(program), era, name, sampled, root, ...place], env })
  }
  return {
    name: title,
    version: await built.version(module),
    cannot,
    ways: [
      { name: 'legacy', era: 'legacy', open: (place) => open(place, 'legacy', place.endpoint) },
      { name: 'modern', era: 'modern', open: (place) => open(place, 'modern', place.endpoint) },
      { name: 'stdio', era: 'modern', open: (place) => open(place, 'modern', '--', ...place.stdio) },
    ],
  }
}

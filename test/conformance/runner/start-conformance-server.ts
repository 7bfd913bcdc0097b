import { fileURLToPath } from 'node:url'
import { createPrograms } from '../../interop/runner/programs.ts'
import { startChild } from './child.ts'
import type { Defer } from './cleanup.ts'
import type { Era } from './legs.ts'

export type ServerUrls = { url: string; tasksUrl: string }

/** The SDK's server, the one that our framework made, or one on the Python SDK. */
export type ServerProgram = 'typescript' | 'framework' | 'python'

/** Starts our conformance server as a process of its own. */
export async function startConformanceServer(
  era: Era | 'both',
  { kind = 'typescript', defer }: { kind?: ServerProgram; defer: Defer },
): Promise<ServerUrls> {
  const [command, ...args] = await commandOf(kind, era)
  const child = startChild(command, args)
  defer(() => child.stop())
  try {
    return JSON.parse(await child.firstLine()) as ServerUrls
  } catch (cause) {
    throw new Error('The conformance server did not start.', { cause })
  }
}

async function commandOf(kind: ServerProgram, era: Era | 'both'): Promise<[string, ...string[]]> {
  switch (kind) {
    case 'python': {
      const { python } = await createPrograms()
        .python('v2')
        .catch((cause: unknown) => {
          throw new Error('The Python SDK cannot be had; these legs need Python 3 and PyPI.', { cause })
        })
      return [python, scriptOf('python_server.py')]
    }
    case 'framework':
      return [process.execPath, '--conditions=herma-source', '--import', 'tsx', scriptOf('framework-server.ts')]
    case 'typescript':
      return [process.execPath, '--import', 'tsx', scriptOf('server.ts'), '--era', era]
  }
}

function scriptOf(name: string): string {
  return fileURLToPath(new URL(`../${name}`, import.meta.url))
}

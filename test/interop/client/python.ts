import { fileURLToPath } from 'node:url'
import type { InteropClient, Place } from '../runner/client.ts'
import { openDriver } from '../runner/driver-session.ts'
import type { Programs } from '../runner/install-clients.ts'
import { runProgram } from '../runner/run-program.ts'

type Library = 'mcp' | 'fastmcp'

const driver = fileURLToPath(new URL('python_driver.py', import.meta.url))
const titles: Record<Library, string> = { mcp: 'Python SDK', fastmcp: 'FastMCP' }

/** The official Python SDK, or FastMCP on top of it. */
export async function describePython(library: Library, { python }: Programs): Promise<InteropClient> {
  if (python === undefined) throw new Error(`${titles[library]} needs Python, which was not asked for.`)
  const open = async ({ env, answers }: Place, era: string, ...place: string[]) => {
    const command = [python, driver, library, era, answers.name, answers.sampled, ...place] as const
    return openDriver({ command, env: { ...env, PYTHONIOENCODING: 'utf-8', PYTHONDONTWRITEBYTECODE: '1' } })
  }
  return {
    name: titles[library],
    version: await readVersion(python, library === 'mcp' ? 'mcp' : 'fastmcp-slim'),
    cannot: {},
    ways: [
      { name: 'legacy', open: (place) => open(place, 'legacy', place.endpoint) },
      { name: 'modern', open: (place) => open(place, 'modern', place.endpoint) },
      { name: 'stdio', open: (place) => open(place, 'modern', '--', ...place.stdio) },
    ],
  }
}

async function readVersion(python: string, distribution: string): Promise<string> {
  const script = `import importlib.metadata as m; print(m.version(${JSON.stringify(distribution)}))`
  const { code, stdout, stderr } = await runProgram([python, '-c', script], { env: {} })
  if (code !== 0) throw new Error(`${distribution} is not installed.\n${stderr}`)
  return stdout.trim()
}

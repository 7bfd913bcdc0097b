import { fileURLToPath } from 'node:url'
import type { InteropClient, Place, Way } from '../runner/client.ts'
import { openDriver } from '../runner/driver-session.ts'
import type { Programs, PythonUnit } from '../runner/programs.ts'

type Library = 'mcp' | 'fastmcp'

const driver = fileURLToPath(new URL('python_driver.py', import.meta.url))
const titles: Record<Library, string> = { mcp: 'Python SDK', fastmcp: 'FastMCP' }

/** The official Python SDK, or FastMCP on top of it; the first versions of both know the older era only. */
export async function describePython(library: Library, unit: PythonUnit, programs: Programs): Promise<InteropClient> {
  const { python, version } = await programs.python(unit)
  const open = async ({ env, answers }: Place, era: Way['era'], ...place: string[]) => {
    const { name, sampled, root } = answers
    const command = [python, driver, library, era, name, sampled, root, ...place] as const
    return openDriver({ command, env: { ...env, PYTHONIOENCODING: 'utf-8', PYTHONDONTWRITEBYTECODE: '1' } })
  }
  const overHttp = (era: Way['era']): Way => ({ name: era, era, open: (place) => open(place, era, place.endpoint) })
  const newest = unit === 'v1' ? 'legacy' : 'modern'
  const overStdio: Way = {
    name: 'stdio',
    era: newest,
    open: (place) => open(place, newest, '--', ...place.stdio),
  }
  const found = await version(library)
  return {
    name: `${titles[library]} ${found.split('.')[0]}`,
    version: found,
    cannot: {},
    ways: unit === 'v1' ? [overHttp('legacy'), overStdio] : [overHttp('legacy'), overHttp('modern'), overStdio],
  }
}

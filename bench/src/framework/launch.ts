import { cpSync, mkdirSync } from 'node:fs'
import { freePort } from '../machine/free-port.ts'
import { buildXmcp } from './build-xmcp.ts'
import type { Contender, Program, Way } from './contender.ts'
import { benchPath } from './framework-path.ts'

/** A process to start, and where it will listen when it is not stdio. */
export interface Launch {
  name: string
  args: string[]
  env: Record<string, string>
  url?: string
}

/** How to start a program of a contender. */
export async function makeLaunch(
  contender: Contender,
  program: Program,
  { way, tools = 1 }: { way: Way; tools?: number },
): Promise<Launch> {
  const transport = way.startsWith('stdio/') ? 'stdio' : way.replace('/', '-')
  const env = { ...contender.env }
  if (contender.name === 'xmcp') {
    const { folder, port } = await buildXmcp(program, tools)
    if (transport === 'stdio') return { name: 'xmcp', args: [`${folder}/dist/stdio.js`], env }
    return { name: 'xmcp', args: [`${folder}/dist/http.js`], env, url: `http://127.0.0.1:${port}/mcp` }
  }
  const file = benchPath(`${placeOf(contender)}/${program}/${contender.name}.mjs`)
  if (transport === 'stdio') return { name: contender.name, args: [file, 'stdio', String(tools)], env }
  const port = await freePort()
  const args = program === 'feature' ? [file, 'http', String(port)] : [file, transport, String(tools), String(port)]
  return { name: contender.name, args, env: { ...env, PORT: String(port) }, url: `http://127.0.0.1:${port}/mcp` }
}

/**
 * Puts the programs where their packages are found: ours and the SDK's beside the workspaces, the others' beside the
 * peers. They stay the plain files that an author would write.
 */
export function placePrograms(): void {
  for (const program of ['hello', 'load', 'feature']) {
    for (const place of ['dist', 'peers/dist']) {
      mkdirSync(benchPath(`${place}/${program}`), { recursive: true })
      cpSync(benchPath(`src/framework/${program}`), benchPath(`${place}/${program}`), { recursive: true })
    }
  }
}

const placeOf = ({ name }: Contender) => (name === 'herma' || name === 'sdk' ? 'dist' : 'peers/dist')

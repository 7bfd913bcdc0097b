import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { ConnectorPatch } from '@herma/contract'
import { CliError, exitCodes } from './exit-codes.ts'

/** How a module is run as a stdio server, with the Node that runs this. It works in its own folder. */
export function moduleCommand(file: string): ConnectorPatch {
  const module = resolve(file)
  if (!existsSync(module)) throw new CliError(exitCodes.usage, `There is no file ${module}. Check --module.`)
  const args = [...loaderFor(module), findHost(), module]
  return { transport: 'stdio', cmd: process.execPath, args, workingDir: dirname(module) }
}

/** TypeScript is read by Node itself where it can, or by the tsx that the module's project has. */
function loaderFor(module: string): string[] {
  if (!/\.[cm]?tsx?$/.test(module)) return []
  if ('typescript' in process.features && process.features.typescript !== false) return []
  try {
    return ['--import', pathToFileURL(createRequire(module).resolve('tsx')).href]
  } catch (cause) {
    const text = `This Node cannot run TypeScript. Install tsx beside ${module}, build it to JavaScript, or use Node 22.18.`
    throw new CliError(exitCodes.usage, text, { cause })
  }
}

/** The program that serves a module: beside the bundle, or where the source has it. */
function findHost(): string {
  const candidates = ['../bin/host-module.js', '../../bin/host-module.js']
  const files = candidates.map((path) => fileURLToPath(new URL(path, import.meta.url)))
  return files.find((path) => existsSync(path)) ?? files[0]!
}

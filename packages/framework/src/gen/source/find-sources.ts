import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConfigError } from '../../protocol/errors.ts'
import { type Compiler, findConfig, readConfig } from './compiler.ts'

const extensions = ['.ts', '.tsx', '.mts', '.cts']

/** The sources that files, folders and globs name; without any, those of the nearest tsconfig.json. */
export function findSources(ts: Compiler, patterns: readonly string[], folder: string): readonly string[] {
  const found = patterns.length === 0 ? filesOfConfig(ts, folder) : patterns.flatMap((one) => matches(ts, one, folder))
  const isSource = (path: string) => !/\.(?:d|gen)\.[cm]?ts$/.test(path)
  return [...new Set(found.map((path) => resolve(folder, path)))].filter(isSource).toSorted()
}

function filesOfConfig(ts: Compiler, folder: string): readonly string[] {
  const config = findConfig(ts, join(resolve(folder), 'any.ts'))
  if (config !== undefined) return readConfig(ts, config).fileNames
  throw new ConfigError('There is no tsconfig.json that says which files to read.', 'Name them: npx herma-gen src')
}

function matches(ts: Compiler, pattern: string, folder: string): readonly string[] {
  const stats = statSync(resolve(folder, pattern), { throwIfNoEntry: false })
  if (stats?.isFile() === true) return [pattern]
  const found = ts.sys.readDirectory(resolve(folder), extensions, ['**/node_modules', '**/dist'], [pattern])
  if (found.length > 0 || stats?.isDirectory() === true) return found
  throw new ConfigError(`No TypeScript file is or matches '${pattern}'.`, 'Check the path; put globs in quotes.')
}

import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type { ts } from '@ts-morph/common'
import type { GeneratedMethod, GeneratedMethods } from '../decorator/generated.ts'
import { ConfigError } from '../protocol/errors.ts'
import { methodSchema } from './schema/method-schema.ts'
import { isSidecar, readSidecar, type Sidecar, sidecarPath, writeSidecar } from './sidecar.ts'
import { type Compiler, findConfig, readConfig, loadCompiler, openSources, type Sources } from './source/compiler.ts'
import { type AutoClass, findAutoClasses } from './source/find-methods.ts'
import { GenerateError, Problem } from './source/problem.ts'

/** Where sources are, and whether anything is written. */
export interface GenerateOptions {
  /** Paths are relative to it, in what is given and in problems. */
  readonly folder?: string
  /** Writes nothing; what would be written is `outdated`. */
  readonly check?: boolean
}

/** One source with `auto` methods, or with a sidecar that it no longer needs. */
export interface GeneratedFile {
  readonly source: string
  readonly sidecar: string
  readonly classes: readonly string[]
  readonly state: 'current' | 'written' | 'removed' | 'outdated'
}

/**
 * Writes the sidecars of sources with `@tool.auto()` and `@prompt.auto()`. `files` are files, folders or globs; without
 * any, the files of tsconfig.json. Throws a `GenerateError` with all problems, and then has written nothing.
 */
export async function generateSchemas(
  files: readonly string[] = [],
  { folder = process.cwd(), check = false }: GenerateOptions = {},
): Promise<readonly GeneratedFile[]> {
  const compiler = await loadCompiler()
  const texts = await readSources(findSources(compiler.ts, files, folder))
  const problems: string[] = []
  const made = new Map<string, Sidecar>()
  for (const [config, paths] of groupByConfig(compiler.ts, texts)) {
    const sources = openSources(compiler, paths, config)
    for (const path of paths) {
      const source = sources.program.getSourceFile(path)
      if (source === undefined) continue
      const { sidecar, problems: found } = makeSidecar(source, sources)
      made.set(path, sidecar)
      problems.push(...found.map((problem) => problem.describe(resolve(folder))))
    }
  }
  if (problems.length > 0) throw new GenerateError(problems)
  const results: GeneratedFile[] = []
  for (const path of texts.keys()) {
    const result = await bringUpToDate(compiler.ts, path, made.get(path) ?? {}, check)
    if (result !== undefined) results.push(result)
  }
  return results
}

async function readSources(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const path of paths) texts.set(path, await readFile(path, 'utf8'))
  return texts
}

/** Only sources that can contain an `auto` method are worth a program. */
function groupByConfig(ts: Compiler, texts: ReadonlyMap<string, string>): ReadonlyMap<string | undefined, string[]> {
  const groups = new Map<string | undefined, string[]>()
  for (const [path, text] of texts) {
    if (!/\.\s*auto\s*\(/.test(text)) continue
    const config = findConfig(ts, path)
    groups.set(config, [...(groups.get(config) ?? []), path])
  }
  return groups
}

function makeSidecar(source: ts.SourceFile, sources: Sources): { sidecar: Sidecar; problems: readonly Problem[] } {
  const problems: Problem[] = []
  const classes = new Map<string, GeneratedMethods>()
  for (const found of findAutoClasses(source, sources)) {
    const name = found.node.name?.text
    if (name === undefined) problems.push(new Problem(found.node, 'The class has no name.', 'Give it one.'))
    else if (classes.has(name)) {
      problems.push(new Problem(found.node, `There is another class '${name}' in this file.`, 'Rename one of them.'))
    } else classes.set(name, makeMethods(found, sources, problems))
  }
  return { sidecar: Object.fromEntries(classes), problems }
}

function makeMethods({ methods }: AutoClass, sources: Sources, problems: Problem[]): GeneratedMethods {
  const entries: [string, GeneratedMethod][] = []
  for (const method of methods) {
    try {
      const { name } = method.node
      entries.push(['text' in name ? name.text : name.getText(), methodSchema(method, sources)])
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      problems.push(error)
    }
  }
  return Object.fromEntries(entries)
}

async function bringUpToDate(
  ts: Compiler,
  source: string,
  wanted: Sidecar,
  check: boolean,
): Promise<GeneratedFile | undefined> {
  const sidecar = sidecarPath(source)
  const text = await readFile(sidecar, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  const classes = Object.keys(wanted)
  const file = { source, sidecar, classes }
  if (text !== undefined && !isSidecar(text)) {
    if (classes.length === 0) return undefined
    throw new GenerateError([`${sidecar} exists and was not written by herma-gen. Rename it: the sidecar goes there.`])
  }
  if (classes.length === 0) {
    if (text === undefined) return undefined
    if (check) return { ...file, state: 'outdated' }
    await rm(sidecar)
    return { ...file, state: 'removed' }
  }
  // A formatter may have changed the looks of the file; what it says counts.
  if (text !== undefined && isDeepStrictEqual(readSidecar(ts, text), wanted)) return { ...file, state: 'current' }
  if (check) return { ...file, state: 'outdated' }
  await writeFile(sidecar, writeSidecar(source, wanted))
  return { ...file, state: 'written' }
}

const extensions = ['.ts', '.tsx', '.mts', '.cts']

/** The sources that files, folders and globs name; without any, those of the nearest tsconfig.json. */
function findSources(ts: Compiler, patterns: readonly string[], folder: string): readonly string[] {
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

import { dirname } from 'node:path'
import type { ts } from '@ts-morph/common'
import { ConfigError } from '../../protocol/errors.ts'

export type Compiler = typeof ts

/** A TypeScript program over some sources, with what reads their types. */
export interface Sources {
  readonly ts: Compiler
  readonly program: ts.Program
  readonly checker: ts.TypeChecker
}

type CompilerPackage = typeof import('@ts-morph/common')

const packageName = '@ts-morph/common'

/**
 * The compiler that reads sources. TypeScript 7 has no API for JavaScript yet; this package is TypeScript 6 without its
 * commands, which an alias of `typescript` itself would put in place of the project's own `tsc`. It is loaded by
 * `herma-gen` alone, so that a server runs without it.
 */
export async function loadCompiler(): Promise<CompilerPackage> {
  try {
    return await import('@ts-morph/common')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new ConfigError(
      `herma-gen reads sources with ${packageName}, an optional dependency that is not installed.`,
      `Run: npm install --save-dev ${packageName}@0.29.0`,
    )
  }
}

/** Opens sources that belong to one tsconfig.json, or to none. Nullness is always strict: it decides what is optional. */
export function openSources(compiler: CompilerPackage, files: readonly string[], config: string | undefined): Sources {
  const { ts } = compiler
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    ...(config !== undefined && readConfig(ts, config).options),
    strict: true,
    strictNullChecks: true,
    skipLibCheck: true,
    noEmit: true,
  }
  const program = ts.createProgram(files, options, createHost(compiler, options))
  return { ts, program, checker: program.getTypeChecker() }
}

/** Problems of a tsconfig.json are for `tsc` to tell; an option that only a newer compiler knows is passed over. */
export function readConfig(ts: Compiler, config: string): ts.ParsedCommandLine {
  const { config: json = {} } = ts.readConfigFile(config, ts.sys.readFile)
  return ts.parseJsonConfigFileContent(json, ts.sys, dirname(config), undefined, config)
}

export function findConfig(ts: Compiler, file: string): string | undefined {
  return ts.findConfigFile(dirname(file), ts.sys.fileExists)
}

/** Parsed files of the language's library, which is the same for every program. */
const parsedLibrary = new Map<string, ts.SourceFile>()

/** The package carries the declarations of the language's library as text, where a file would be looked for. */
function createHost({ ts, getLibFiles }: CompilerPackage, options: ts.CompilerOptions): ts.CompilerHost {
  // The compiler writes every path with slashes, on Windows too.
  const folder = `${import.meta.dirname.replaceAll('\\', '/')}/typescript-lib`
  const library = new Map(getLibFiles().map(({ fileName, text }) => [`${folder}/${fileName}`, text]))
  const host = ts.createCompilerHost(options, true)
  const { readFile, fileExists, getSourceFile } = host
  host.getDefaultLibLocation = () => folder
  host.getDefaultLibFileName = (wanted) => `${folder}/${ts.getDefaultLibFileName(wanted)}`
  host.readFile = (path) => library.get(path) ?? readFile(path)
  host.fileExists = (path) => library.has(path) || fileExists(path)
  host.getSourceFile = (path, ...rest) => {
    const key = `${JSON.stringify(rest[0])} ${path}`
    const parsed = parsedLibrary.get(key) ?? getSourceFile(path, ...rest)
    if (parsed !== undefined && library.has(path)) parsedLibrary.set(key, parsed)
    return parsed
  }
  return host
}

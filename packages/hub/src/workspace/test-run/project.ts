import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { walkSources } from '../search/walk-sources.ts'
import { readWhole } from '../search/read-whole.ts'

/** A folder with tests, as far as their runners need to look at it. */
export interface Project {
  readonly cwd: string
  has(path: string): Promise<boolean>
  /** The text of a file; null when there is none, or it is no ordinary one. */
  readText(path: string): Promise<string | null>
  /** `package.json`; null when there is none or it is no object. */
  readonly manifest: PackageManifest | null
  /** One of its files whose path matches; only so many are looked at. */
  findFile(isWanted: (path: string) => boolean | Promise<boolean>): Promise<string | null>
  /** A program of the project itself, from its folder up to the root, or else one of PATH. */
  findProgram(own: readonly string[], name: string): Promise<string | null>
}

export interface PackageManifest {
  readonly scripts: Readonly<Record<string, string>>
  /** Of all kinds. */
  readonly dependencies: ReadonlySet<string>
}

export interface ProjectOptions {
  readonly cwd: string
  /** Programs are looked for up to here; tools of a monorepo are installed at its root. */
  readonly root?: string | undefined
  readonly path: string | undefined
}

const maxTextBytes = 1024 * 1024
const maxFilesSeen = 5000

export async function openProject({ cwd, root = cwd, path = '' }: ProjectOptions): Promise<Project> {
  const readText = async (name: string) => (await readWhole(join(cwd, name), maxTextBytes))?.toString('utf8') ?? null
  return {
    cwd,
    readText,
    manifest: readManifest(await readText('package.json')),
    has: (name) => exists(join(cwd, name)),
    async findFile(isWanted) {
      let seen = 0
      for await (const file of walkSources({ cwd, isDenied: () => false })) {
        if (await isWanted(file)) return file
        if (++seen >= maxFilesSeen) return null
      }
      return null
    },
    async findProgram(own, name) {
      for (const folder of foldersUp(cwd, root)) {
        for (const place of own) if (await isProgram(join(folder, place))) return join(folder, place)
      }
      for (const folder of path.split(':')) {
        // A relative folder would mean another one for us than for the shell of whoever wrote it.
        if (isAbsolute(folder) && (await isProgram(join(folder, name)))) return join(folder, name)
      }
      return null
    },
  }
}

function foldersUp(from: string, root: string): string[] {
  const below = relative(root, from)
  if (below.startsWith('..') || isAbsolute(below)) return [from]
  const folders = [from]
  for (let folder = from; folder !== root; folder = dirname(folder)) folders.push(dirname(folder))
  return folders
}

function readManifest(text: string | null): PackageManifest | null {
  if (text === null) return null
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Broken JSON is for the package manager to complain about; here it only speaks for nothing.
    return null
  }
  if (!isRecord(value)) return null
  const scripts = Object.entries(isRecord(value.scripts) ? value.scripts : {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  const kinds = [value.dependencies, value.devDependencies, value.peerDependencies, value.optionalDependencies]
  const dependencies = new Set(kinds.flatMap((kind) => (isRecord(kind) ? Object.keys(kind) : [])))
  return { scripts: Object.fromEntries(scripts), dependencies }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    // Missing or not for us: either way it cannot be run.
    return false
  }
}

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ProjectError } from './project-error.ts'
import { projectName } from './project-name.ts'
import type { Template } from './read-arguments.ts'

export interface ProjectOptions {
  readonly folder: string
  readonly template: Template
  /** Of the framework that the project uses. */
  readonly version: string
}

export interface Project {
  readonly name: string
  readonly folder: string
  /** Relative to the folder. */
  readonly files: readonly string[]
}

/** Writes a new project. A folder that holds anything besides version control is left as it is. */
export async function createProject({ folder, template, version }: ProjectOptions): Promise<Project> {
  const name = projectName(folder)
  const target = resolve(folder)
  await requireEmpty(target)
  const source = fileURLToPath(new URL(`../template/${template}`, import.meta.url))
  const entries = await readdir(source, { recursive: true, withFileTypes: true })
  const files: string[] = []
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const text = await readFile(path, 'utf8')
    const written = writtenName(path.slice(source.length + 1))
    await mkdir(dirname(join(target, written)), { recursive: true })
    // The folder was empty a moment ago; a file that came meanwhile is not overwritten.
    await writeFile(join(target, written), fill(text, { name, version }), { flag: 'wx' })
    files.push(written)
  }
  return { name, folder: target, files: files.sort() }
}

async function requireEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    if (error.code === 'ENOTDIR') throw new ProjectError(`'${folder}' is a file. Choose another name.`)
    throw new ProjectError(`'${folder}' cannot be read: ${error.message}`, { cause: error })
  })
  const [first] = names.filter((name) => name !== '.git')
  if (first === undefined) return
  throw new ProjectError(`'${folder}' is not empty: it has '${first}'. Choose another name, or empty it first.`)
}

/** npm leaves .gitignore out of packages and reads every package.json, so the templates hold them under other names. */
function writtenName(path: string): string {
  const other = { _gitignore: '.gitignore', '_package.json': 'package.json' }
  return Object.hasOwn(other, path) ? other[path as keyof typeof other] : path
}

function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/__(\w+?)__/g, (whole, key: string) => values[key] ?? whole)
}

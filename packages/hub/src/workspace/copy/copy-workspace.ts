import { lstat, mkdir, readlink, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { HubError } from '@herma/contract'
import type { Folder } from '../folder.ts'
import { walkFolders, type WalkedFolder } from '../search/walk-folders.ts'
import { copyOneFile, toVersion, type FileVersion } from './copy-file.ts'
import { Allowance, type CopyLimits } from './copy-limits.ts'
import { copyTools } from './copy-tools.ts'
import { inParallel } from './in-parallel.ts'
import { staysInside } from './stays-inside.ts'

export interface CopyWorkspaceOptions {
  readonly cwd: string
  readonly target: string
  isDenied(path: string): boolean
  readonly limits: CopyLimits
  readonly signal: AbortSignal
}

/** What is known of a copied file. */
export interface CopiedFile {
  readonly original: FileVersion
  readonly copy: FileVersion
}

export interface CopyManifest {
  readonly files: ReadonlyMap<string, CopiedFile>
  /** Paths of links and where they lead. */
  readonly links: ReadonlyMap<string, string>
  /** Folders whose files are all in the manifest. */
  readonly folders: ReadonlySet<string>
  readonly leftOut: readonly LeftOutFile[]
}

export interface LeftOutFile {
  readonly path: string
  readonly because: string
}

const maxCopiers = 8
const maxLeftOut = 100

/**
 * Copies what somebody wrote, then, as far as there is room, folders that tools need: dependencies, history, builds.
 * Nothing is ever linked to the original: a program that writes through such a link would change the workspace behind
 * the back of its stage.
 */
export async function copyWorkspace(options: CopyWorkspaceOptions): Promise<CopyManifest> {
  const copy = new Copy(options)
  const walk = walkFolders(options)
  for (let step = await walk.next(); ; step = await walk.next()) {
    if (step.done === true && !step.value) throw copy.tooLarge()
    if (step.done === true) break
    await copy.copyFolder(step.value)
  }
  await copy.copyPassedBy()
  return copy
}

class Copy implements CopyManifest {
  readonly files = new Map<string, CopiedFile>()
  readonly links = new Map<string, string>()
  readonly folders = new Set<string>()
  readonly leftOut: LeftOutFile[] = []
  readonly #options: CopyWorkspaceOptions
  readonly #allowance: Allowance
  readonly #passedBy: string[] = []

  constructor(options: CopyWorkspaceOptions) {
    this.#options = options
    this.#allowance = new Allowance(options.limits)
  }

  async copyFolder({ prefix, folder, isTools, links, passedBy, specials, ...found }: WalkedFolder): Promise<void> {
    if (isTools) {
      this.#passedBy.push(prefix.slice(0, -1))
      return
    }
    this.folders.add(prefix)
    if (prefix !== '') await mkdir(join(this.#options.target, prefix))
    // A file that is ignored beside others, such as local settings, belongs to the workspace all the same.
    // Programs that find a `.git` which is a file work on the repository that it names: that of the original.
    const waiting = [...found.files, ...found.ignoredFiles].filter((name) => name !== '.git')
    if (waiting.length < found.files.length + found.ignoredFiles.length) {
      this.#leaveOut(`${prefix}.git`, 'it is a file that leads to the history of the original')
    }
    await inParallel(waiting, maxCopiers, async (name) => {
      this.#options.signal.throwIfAborted()
      await this.#copyFile(prefix + name, folder.at(name))
    })
    for (const name of links) await this.#copyLink(prefix + name, folder, name)
    for (const name of passedBy) this.#passedBy.push(prefix + name)
    for (const name of specials) this.#leaveOut(prefix + name, 'it is a pipe, a socket or a device')
  }

  /** History first: many programs refuse to work without it. */
  async copyPassedBy(): Promise<void> {
    for (const path of this.#passedBy.toSorted((a, b) => Number(b === '.git') - Number(a === '.git'))) {
      const isWhole = await copyTools(path, { ...this.#options, allowance: this.#allowance })
      if (!isWhole) this.#leaveOut(path, 'there was no room for it within the limits')
    }
  }

  tooLarge(): HubError {
    return this.#allowance.tooLarge('The workspace has', 'Choose a smaller working directory, or raise the limits.')
  }

  async #copyFile(path: string, from: string): Promise<void> {
    const to = join(this.#options.target, path)
    const take = (bytes: number) => this.#allowance.take(bytes)
    const outcome = await copyOneFile({ from, to, take, allowHardLinks: false })
    if (outcome === 'no-room') {
      throw this.tooLarge()
    }
    if (outcome === 'special') this.#leaveOut(path, 'it has a second name, or is no ordinary file')
    else if (outcome !== 'gone') {
      const copy = toVersion(await lstat(to, { bigint: true }))
      this.files.set(path, { original: outcome.version, copy })
    }
  }

  async #copyLink(path: string, folder: Folder, name: string): Promise<void> {
    const target = await readlink(folder.at(name)).catch(() => null)
    if (target === null) return
    if (!staysInside(path, target)) return this.#leaveOut(path, 'it is a link that leads outside')
    await symlink(target, join(this.#options.target, path))
    this.links.set(path, target)
  }

  #leaveOut(path: string, because: string): void {
    if (this.leftOut.length < maxLeftOut) this.leftOut.push({ path, because })
  }
}

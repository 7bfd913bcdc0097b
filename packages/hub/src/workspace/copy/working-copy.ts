import { mkdir, mkdtemp } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { HubError } from '@herma/contract'
import { findCopyChanges, type CopyChange } from './copy-changes.ts'
import type { CopyLimits } from './copy-limits.ts'
import { copyWorkspace, type LeftOutFile, type CopyManifest } from './copy-workspace.ts'
import { removeTree } from './remove-tree.ts'

export interface WorkingCopyOptions {
  /** Absolute and real, and already checked. */
  readonly cwd: string
  /** What is denied is not in the copy. */
  isDenied(path: string): boolean
  /** Where copies are made; nothing else is in it. */
  readonly folder: string
  readonly limits: CopyLimits
  readonly signal: AbortSignal
}

/**
 * A private copy of a workspace for a program that writes files by itself. The workspace only changes when somebody takes
 * over what `changes` says. It has to be disposed of, after the program and all that it started have ended.
 */
export class WorkingCopy implements AsyncDisposable {
  /** The folder to run the program in; named as the original. */
  readonly path: string
  /** What is not in the copy although it is not denied; the first hundred. */
  readonly leftOut: readonly LeftOutFile[]
  readonly #folder: string
  readonly #options: WorkingCopyOptions
  readonly #manifest: CopyManifest

  private constructor(folder: string, options: WorkingCopyOptions, manifest: CopyManifest) {
    this.#folder = folder
    this.#options = options
    this.#manifest = manifest
    this.path = placeOf(folder, options)
    this.leftOut = manifest.leftOut
  }

  static async open(options: WorkingCopyOptions): Promise<WorkingCopy> {
    await mkdir(options.folder, { recursive: true, mode: 0o700 })
    const folder = await mkdtemp(join(options.folder, 'copy-'))
    try {
      const target = placeOf(folder, options)
      await mkdir(target)
      return new WorkingCopy(folder, options, await copyWorkspace({ ...options, target }))
    } catch (error) {
      await removeTree(folder)
      throw explain(error, options.folder)
    }
  }

  changes(signal: AbortSignal): AsyncGenerator<CopyChange> {
    const { cwd, limits } = this.#options
    return findCopyChanges({ original: cwd, copy: this.path, manifest: this.#manifest, limits, signal })
  }

  async dispose(): Promise<void> {
    await removeTree(this.#folder)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose()
  }
}

/** Copies a workspace; see WorkingCopy. */
export function openWorkingCopy(options: WorkingCopyOptions): Promise<WorkingCopy> {
  return WorkingCopy.open(options)
}

function placeOf(folder: string, { cwd }: WorkingCopyOptions): string {
  return join(folder, basename(cwd) || 'root')
}

function explain(error: unknown, folder: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error
  const message = `There is no room on the disk of ${folder} to copy the workspace. Free some, or lower the limits.`
  return new HubError('WORKSPACE_TOO_LARGE', message, { cause: error })
}

import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import { HubError } from '@herma/contract'
import { createTwoFilesPatch } from 'diff'
import type { Workspace } from '../../../workspace/index.ts'
import { openPlace } from '../../work/open-place.ts'
import type { Job } from '../job.ts'
import { runGit, type GitOptions } from './run-git.ts'

const maxFiles = 50_000
const maxChanged = 500
const maxFileBytes = 1024 * 1024
const maxDiffLength = 2_000_000

/**
 * What the workspace has changed since a commit, as a unified diff. Git only tells what was there; the files themselves
 * are read through the workspace, so that what its policy hides stays hidden, and no filter of the repository runs.
 */
export async function readChanges(job: Job, base: string): Promise<string> {
  const { outside, workContext } = job
  const workspace = await openPlace(job, outside)
  const git: GitOptions = { cwd: workspace.cwd, signal: workContext.signal, environment: outside.machine.environment }
  await requireRepository(workspace, git)
  const known = await listTree(git, await findTree(git, base))
  const names = await listNames(git)
  const changes: Change[] = []
  for (const path of new Set([...known.keys(), ...names])) {
    workContext.signal.throwIfAborted()
    const change = workspace.isDenied(path) ? null : await compare(workspace, path, known.get(path) ?? null)
    if (change !== null) changes.push(change)
    if (changes.length > maxChanged) throw tooMany()
  }
  const before = await readBlobs(git, changes)
  const diff = changes.map((change) => renderChange(change, before)).join('\n')
  if (diff !== '') return diff.slice(0, maxDiffLength)
  throw new HubError(
    'INVALID_PARAMS',
    `The workspace has no changes since '${base}'. Name another base, or give \`diff\`.`,
  )
}

interface Change {
  readonly path: string
  /** The blob that was there; null = nothing. */
  readonly blob: string | null
  readonly after: Buffer | null
}

/** A folder may claim that its repository is anywhere, such as where somebody else's is. */
async function requireRepository({ roots }: Workspace, git: GitOptions): Promise<void> {
  const answer = await runGit(['rev-parse', '--absolute-git-dir', '--git-common-dir'], git)
  for (const line of answer.toString('utf8').trim().split('\n')) {
    const folder = await realpath(resolve(git.cwd, line))
    if (roots.some((root) => folder === root || folder.startsWith(root === sep ? root : root + sep))) continue
    const text =
      'The repository of the workspace lies outside of the allowed roots. Allow its folder as a root, or give `diff`.'
    throw new HubError('PATH_REFUSED', text)
  }
}

async function findTree(git: GitOptions, base: string): Promise<string> {
  try {
    const answer = await runGit(['rev-parse', '--verify', '--quiet', '--end-of-options', `${base}^{tree}`], git)
    return answer.toString('utf8').trim()
  } catch (error) {
    git.signal.throwIfAborted()
    const text = `There is no commit or branch '${base}' in the repository. Name another base, or give \`diff\`.`
    throw new HubError('INVALID_PARAMS', text, { cause: error })
  }
}

/** Ordinary files of a tree below the folder, by path; links and other repositories are passed by. */
async function listTree(git: GitOptions, tree: string): Promise<Map<string, string>> {
  const answer = await runGit(['ls-tree', '-r', '-z', tree], git)
  const files = new Map<string, string>()
  for (const line of answer.toString('utf8').split('\0')) {
    const [, mode, blob, path] = /^(\d+) blob ([0-9a-f]+)\t([^]+)$/.exec(line) ?? []
    if (blob !== undefined && path !== undefined && mode !== '120000') files.set(path, blob)
    if (files.size > maxFiles) throw tooMany()
  }
  return files
}

async function listNames(git: GitOptions): Promise<string[]> {
  const answer = await runGit(['ls-files', '-z', '--cached', '--others', '--exclude-standard'], git)
  const names = answer
    .toString('utf8')
    .split('\0')
    .filter((name) => name !== '')
  if (names.length > maxFiles) throw tooMany()
  return names
}

async function compare(workspace: Workspace, path: string, blob: string | null): Promise<Change | null> {
  const state = await workspace.stat(path)
  // What is no file any more is gone for git, too.
  const after = state?.kind === 'file' && state.path === path ? await readFile(workspace, path) : null
  if (after === null && blob === null) return null
  return after !== null && blob !== null && hashOf(after, blob) === blob ? null : { path, blob, after }
}

async function readFile(workspace: Workspace, path: string): Promise<Buffer | null> {
  try {
    return await workspace.readBytes(path, { maxBytes: maxFileBytes })
  } catch (error) {
    if (error instanceof HubError && error.code === 'FILE_TOO_LARGE') return Buffer.from('\0')
    throw error
  }
}

/** https://git-scm.com/book/en/v2/Git-Internals-Git-Objects */
function hashOf(bytes: Buffer, like: string): string {
  return createHash(like.length === 64 ? 'sha256' : 'sha1')
    .update(`blob ${bytes.length}\0`)
    .update(bytes)
    .digest('hex')
}

async function readBlobs(git: GitOptions, changes: readonly Change[]): Promise<Map<string, Buffer>> {
  const wanted = [...new Set(changes.flatMap(({ blob }) => (blob === null ? [] : [blob])))]
  const blobs = new Map<string, Buffer>()
  if (wanted.length === 0) return blobs
  const answer = await runGit(['cat-file', '--batch'], { ...git, input: `${wanted.join('\n')}\n` })
  let at = 0
  for (const blob of wanted) {
    const end = answer.indexOf('\n', at)
    const size = Number(/ blob (\d+)$/.exec(answer.toString('utf8', at, end))?.[1])
    if (Number.isNaN(size))
      throw new HubError('INVALID_PARAMS', `The repository lacks the object ${blob}. Give \`diff\` instead.`)
    blobs.set(blob, answer.subarray(end + 1, end + 1 + size))
    at = end + 1 + size + 1
  }
  return blobs
}

function renderChange({ path, blob, after }: Change, blobs: ReadonlyMap<string, Buffer>): string {
  const before = blob === null ? null : (blobs.get(blob) ?? null)
  const isBinary = [before, after].some((bytes) => bytes !== null && (bytes.includes(0) || bytes.length > maxFileBytes))
  const [from, to] = [before === null ? '/dev/null' : `a/${path}`, after === null ? '/dev/null' : `b/${path}`]
  if (isBinary) return `Binary or large files ${from} and ${to} differ\n`
  const texts = [before, after].map((bytes) => bytes?.toString('utf8') ?? '') as [string, string]
  return (
    createTwoFilesPatch(from, to, ...texts, undefined, undefined, { timeout: 2000 }) ??
    `${from} and ${to} differ much\n`
  )
}

function tooMany(): HubError {
  return new HubError(
    'INVALID_PARAMS',
    'There are too many files or changes to review at once. Give `diff`, or a smaller `cwd`.',
  )
}

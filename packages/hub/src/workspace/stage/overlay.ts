import { isInside } from '../../platform/file/is-inside.ts'
// What a reader sees of a workspace with staged changes on top of it.
import { type WalkEnd, walkFilter, type WalkOptions } from '../walk-files.ts'
import type { FolderEntry, Listing, Workspace } from '../workspace.ts'
import type { StagedFile, StagedFiles } from './staged-files.ts'

export async function listOver(workspace: Workspace, files: StagedFiles, path: string): Promise<Listing> {
  const { real, exists } = await workspace.locate(path)
  const isNew = !exists && files.hasFolder(real)
  const { entries, isTruncated } = isNew ? { entries: [], isTruncated: false } : await workspace.list(path)
  const names = new Map(entries.map((entry) => [entry.name, entry]))
  for (const { place, after } of files.all()) {
    if (place.real === real || !isInside(real, place.real)) continue
    const [name = '', ...rest] = place.real.slice(real === '/' ? 1 : real.length + 1).split('/')
    if (after === null && rest.length === 0) names.delete(name)
    if (after === null || names.has(name)) continue
    const kind: FolderEntry['kind'] = rest.length === 0 ? 'file' : 'folder'
    names.set(name, { name, path: workspace.nameOf(`${real === '/' ? '' : real}/${name}`), kind })
  }
  return { entries: [...names.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)), isTruncated }
}

/** New files come last. */
export async function* walkOver(
  workspace: Workspace,
  files: StagedFiles,
  options: WalkOptions,
): AsyncGenerator<string, WalkEnd> {
  const limit = options.limit ?? 10_000
  const added = stagedPaths(files, options, ({ before, after }) => before === null && after !== null)
  const removed = new Set(stagedPaths(files, options, ({ after }) => after === null))
  const walk = workspace.walk({ ...options, limit: limit + removed.size })
  let given = 0
  let next = await walk.next()
  try {
    for (; next.done !== true; next = await walk.next()) {
      if (removed.has(next.value)) continue
      if (given === limit) return { isTruncated: true }
      given++
      yield next.value
    }
  } finally {
    await walk.return({ isTruncated: true })
  }
  yield* added.slice(0, limit - given)
  return { isTruncated: next.value.isTruncated || given + added.length > limit }
}

function stagedPaths(files: StagedFiles, options: WalkOptions, wanted: (file: StagedFile) => boolean): string[] {
  const { isIncluded, isExcluded } = walkFilter(options)
  const isShown = (path: string) => {
    const parts = path.split('/')
    return parts[0] !== '..' && !parts.some((_, index) => isExcluded(parts.slice(0, index + 1).join('/')))
  }
  const paths = files.all().flatMap((file) => (wanted(file) ? [file.path] : []))
  return paths.filter((path) => isIncluded(path) && isShown(path)).toSorted()
}

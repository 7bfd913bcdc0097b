import type { CodeSearch } from '@herma/contract'
import { searchFolder, type Workspace } from '../../../workspace/index.ts'

export interface FileQuery {
  readonly query: string
  readonly isRegex?: boolean | undefined
  readonly caseSensitive?: boolean | undefined
  readonly wholeWord?: boolean | undefined
  readonly globs?: readonly string[] | undefined
  readonly contextLines?: number | undefined
  readonly maxResults: number
}

const maxFileBytes = 2 * 1024 * 1024

/** Searches the files of a workspace that its policy does not hide. */
export async function searchFiles(workspace: Workspace, query: FileQuery, signal: AbortSignal): Promise<CodeSearch> {
  const { files, counts, truncated } = await searchFolder({
    ...query,
    cwd: workspace.cwd,
    isDenied: (path) => workspace.isDenied(path),
    maxFileBytes,
    signal,
  })
  return {
    files: files.map(({ path, isNamed, matches }) => ({
      path,
      is_named: isNamed,
      matches: matches.map(({ line, column, text, isDefinition, before, after }) => ({
        line,
        column,
        text,
        is_definition: isDefinition,
        before: [...before],
        after: [...after],
      })),
    })),
    total_matches: counts.matches,
    total_files: counts.files,
    truncated,
  }
}

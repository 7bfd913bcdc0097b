import type { CodeSearch } from '@herma/contract'
import { searchFiles } from '../../work/tool/search-files.ts'
import type { AbilityTool } from '../ability-tool.ts'
import { adoptResult } from '../adopt-result.ts'

const defaultResults = 100

export const searchCode: AbilityTool<'search.code'> = {
  name: 'search.code',
  title: 'Search code',
  description: 'Searches the files of a workspace for a text or a regular expression; definitions come first.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run(args, job) {
    const { query, is_regex, case_sensitive, whole_word, context_lines, path_globs, max_results } = args
    const work = await job.work({
      text: query,
      needs: 'read',
      async own({ workspace, signal }) {
        const found = await searchFiles(
          workspace,
          {
            query,
            isRegex: is_regex,
            caseSensitive: case_sensitive,
            wholeWord: whole_word,
            globs: path_globs,
            contextLines: context_lines,
            maxResults: max_results ?? defaultResults,
          },
          signal,
        )
        return { text: renderSearch(found), structured: found }
      },
    })
    const found =
      work.toolResult === null ? (work.structured as CodeSearch) : (adoptResult('search.code', work) ?? nothing)
    return { text: work.text, output: found, work }
  },
}

/** A tool that answers in words has said what it found, but not where. */
const nothing: CodeSearch = { files: [], total_matches: 0, total_files: 0, truncated: false }

function renderSearch({ files, total_matches: total, total_files: count, truncated }: CodeSearch): string {
  if (files.length === 0) return 'Nothing was found.'
  const lines = files.flatMap(({ path, matches }) =>
    matches.length === 0 ? [path] : matches.map(({ line, text }) => `${path}:${line}: ${text}`),
  )
  const sum = `${total} ${total === 1 ? 'line' : 'lines'} in ${count} ${count === 1 ? 'file' : 'files'}`
  return [`${sum}${truncated ? '; not all are shown' : ''}`, ...lines].join('\n')
}

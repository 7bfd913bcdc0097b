import { HubError } from '@herma/contract'
import type { Stage, Workspace } from '../../../workspace/index.ts'
import type { AgentTool } from '../../turn/types.ts'
import { defineTool, field } from './define-tool.ts'
import { searchFiles } from './search-files.ts'

export interface FileTools {
  readonly workspace: Workspace
  /** Null where nothing may be written. */
  readonly stage: Stage | null
  /** Files that were read, relative to the folder. */
  readonly filesRead: Set<string>
}

const maxListed = 1000
const maxReadBytes = 2 * 1024 * 1024
const maxReadChars = 100_000

/** What a model looks at files with. It sees its own changes before anybody else does. */
export function readingTools({ workspace, stage, filesRead }: FileTools): AgentTool[] {
  const files = stage ?? workspace
  return [
    defineTool({
      name: 'list_files',
      description: 'Lists files of the workspace: of one folder, or all that match globs such as src/**/*.ts.',
      properties: { path: field('string', 'A folder.'), globs: field('strings', 'In place of path.') },
      required: [],
      isReadOnly: true,
      async run({ path = '.', globs }, { signal }) {
        if (globs === undefined) {
          const { entries, isTruncated } = await files.list(path)
          const lines = entries.map((entry) => (entry.kind === 'folder' ? `${entry.path}/` : entry.path))
          return joinLines(lines, isTruncated)
        }
        const lines: string[] = []
        const walk = files.walk({ include: globs, limit: maxListed, signal })
        for (let next = await walk.next(); ; next = await walk.next()) {
          if (next.done === true) return joinLines(lines, next.value.isTruncated)
          lines.push(next.value)
        }
      },
    }),
    defineTool({
      name: 'read_file',
      description: 'Reads a text file of the workspace, or some of its lines.',
      properties: {
        path: field('string', 'Relative to the folder.'),
        first_line: field('integer', 'From here; 1 is the first line.'),
        line_count: field('integer', 'So many lines.'),
      },
      required: ['path'],
      isReadOnly: true,
      async run({ path, first_line, line_count }) {
        const text = await files.readText(path, { maxBytes: maxReadBytes })
        filesRead.add(path)
        return cut(takeLines(text, first_line, line_count))
      },
    }),
    defineTool({
      name: 'search_code',
      description: 'Searches the files of the workspace for a text or a regular expression (RE2).',
      properties: {
        query: field('string', 'What to look for.'),
        is_regex: field('boolean', 'Whether the query is a regular expression.'),
        globs: field('strings', 'Only in files that match one of these.'),
      },
      required: ['query'],
      isReadOnly: true,
      async run({ query, is_regex, globs }, { signal }) {
        const found = await searchFiles(workspace, { query, isRegex: is_regex, globs, maxResults: 100 }, signal)
        const lines = found.files.flatMap(({ path, matches }) =>
          matches.map(({ line, text }) => `${path}:${line}: ${text}`),
        )
        const changed = stage?.changes().map(({ path }) => path) ?? []
        const note = changed.length === 0 ? '' : `\n(Searched as they were before your changes: ${changed.join(', ')})`
        return cut(joinLines(lines, found.truncated) + note)
      },
    }),
  ]
}

function takeLines(text: string, first = 1, count?: number): string {
  if (first === 1 && count === undefined) return text
  if (first < 1) throw new HubError('INVALID_PARAMS', 'first_line: the first line is 1.')
  const lines = text.split('\n')
  const taken = lines.slice(first - 1, count === undefined ? undefined : first - 1 + count)
  return `${taken.join('\n')}\n(Lines ${first} to ${first - 1 + taken.length} of ${lines.length}.)`
}

function joinLines(lines: readonly string[], isTruncated: boolean): string {
  if (lines.length === 0) return 'Nothing was found.'
  return isTruncated ? `${lines.join('\n')}\n(There are more; ask for fewer.)` : lines.join('\n')
}

function cut(text: string): string {
  if (text.length <= maxReadChars) return text
  return `${text.slice(0, maxReadChars)}\n(${text.length - maxReadChars} more characters; read by lines.)`
}

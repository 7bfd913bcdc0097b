import { useQuery } from '@tanstack/react-query'
import { toolsQuery } from '../api/queries.ts'
import { matchGlobs } from './match-globs.ts'

const maxShown = 40

/** Which tools of a connector the patterns let through. */
export function MatchedTools({ connector, globs }: { connector: string; globs: readonly string[] | null }) {
  const tools = useQuery(toolsQuery).data?.filter((tool) => tool.connector === connector)
  if (tools === undefined) return null
  if (tools.length === 0) return <p className="text-sm text-ink-3">Its tools are not known yet.</p>
  const isAllowed = matchGlobs(globs ?? ['*'])
  const names = tools.map(({ originalName }) => originalName).filter(isAllowed)
  return (
    <div className="grid gap-1.5">
      <output className="text-sm text-ink-2">
        {names.length} of {tools.length} tools
      </output>
      <ul aria-label="Tools it may use" className="flex flex-wrap gap-1">
        {names.slice(0, maxShown).map((name) => (
          <li
            key={name}
            className="max-w-full truncate rounded-sm border border-line bg-well px-1.5 font-mono text-xs leading-5 text-ink-2"
          >
            {name}
          </li>
        ))}
        {names.length > maxShown && <li className="text-sm text-ink-3">and {names.length - maxShown} more</li>}
      </ul>
    </div>
  )
}

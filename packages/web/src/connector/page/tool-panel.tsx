import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Empty, Loaded } from '../../ui/page/page-state.tsx'
import { connectorToolsQuery } from '../connectors-query.ts'

/** The tools of a connector as clients see them. */
export function ToolPanel({ name }: { name: string }) {
  const query = useQuery(connectorToolsQuery(name))
  return (
    <div className="pt-4">
      <Loaded query={query} what={`the tools of ${name}`}>
        {(tools) =>
          tools.length === 0 ? (
            <Empty title="No tools yet">They appear once the server was reached. Test it in Settings.</Empty>
          ) : (
            <ul aria-label="Tools" className="divide-y divide-line rounded-lg border border-line bg-surface">
              {tools.map((tool) => (
                <li key={tool.name} className="grid grid-cols-[minmax(0,1fr)] gap-0.5 px-4 py-2.5">
                  <Link
                    to="/catalog"
                    search={{ tool: `${tool.connector}/${tool.originalName}` }}
                    className="justify-self-start rounded-sm font-mono text-sm font-medium [overflow-wrap:anywhere] hover:underline"
                  >
                    {tool.name}
                  </Link>
                  <p className="line-clamp-2 text-sm text-ink-2">{tool.description}</p>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  )
}

import type { ServedTool, ServerView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '../../ui/card.tsx'
import { Input } from '../../ui/form/field.tsx'
import { count } from '../../ui/format.ts'
import { Loaded } from '../../ui/page/page-state.tsx'
import { serverToolsQuery } from '../servers-query.ts'

/** What clients of a server list, with what each tool costs a model. */
export function ToolList({ server }: { server: ServerView }) {
  const tools = useQuery(serverToolsQuery(server.name))
  return (
    <Loaded query={tools} what="the tools">
      {(all) => <Listed tools={all} />}
    </Loaded>
  )
}

function Listed({ tools }: { tools: readonly ServedTool[] }) {
  const [filter, setFilter] = useState('')
  const words = filter.toLowerCase().split(/\s+/)
  const shown = tools.filter(({ name, description }) => {
    const text = `${name} ${description}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0)
  const search = (
    <div className="w-full sm:w-56">
      <Input
        data-filter
        type="search"
        aria-label="Filter tools"
        placeholder="Filter"
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
      />
    </div>
  )
  return (
    <Card
      title={count(tools.length, 'tool')}
      hint={`Their definitions cost a model about ${tokens.toLocaleString()} tokens.`}
      actions={tools.length > 8 ? search : undefined}
    >
      {shown.length === 0 && (
        <p className="px-4 py-3 text-ink-2">{tools.length === 0 ? 'Clients see no tools here.' : 'No tool matches.'}</p>
      )}
      <ul aria-label="Tools" className="divide-y divide-line">
        {shown.map(({ name, title, description, tokens: cost }) => (
          <li key={name} className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 px-4 py-2.5">
            <div className="min-w-0">
              <p className="font-mono text-sm font-medium [overflow-wrap:anywhere]">{name}</p>
              <p className="line-clamp-2 text-sm text-ink-2 [overflow-wrap:anywhere]">{description || title}</p>
            </div>
            <p className="tnum text-sm text-ink-3">{count(cost, 'token')}</p>
          </li>
        ))}
      </ul>
    </Card>
  )
}

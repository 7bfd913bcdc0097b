import type { LogLine } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Input } from '../../ui/form/field.tsx'
import { formatTime } from '../../ui/format.ts'
import { download } from '../../ui/json-box.tsx'
import { Empty, Loaded } from '../../ui/page/page-state.tsx'
import { connectorLogsQuery } from '../connectors-query.ts'

/** What the server wrote to standard error, and what the hub has to say about it; the newest first. */
export function LogPanel({ name }: { name: string }) {
  const query = useQuery(connectorLogsQuery(name))
  return (
    <div className="pt-4">
      <Loaded query={query} what={`the logs of ${name}`}>
        {(lines) => <Lines name={name} lines={lines} />}
      </Loaded>
    </div>
  )
}

function Lines({ name, lines }: { name: string; lines: readonly LogLine[] }) {
  const [filter, setFilter] = useState('')
  const shown = lines.filter(({ text }) => text.toLowerCase().includes(filter.toLowerCase())).toReversed()
  if (lines.length === 0)
    return <Empty title="Nothing was written yet">What a program writes to standard error appears here.</Empty>
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <div className="min-w-0 flex-1 sm:max-w-72">
          <Input
            data-filter
            type="search"
            aria-label="Filter the logs"
            placeholder="Filter"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        </div>
        <Button
          className="ml-auto"
          onClick={() => {
            const text = lines.map((line) => `${line.at} ${line.stream} ${line.text}`).join('\n')
            download(`${name}.log`, text, 'text/plain')
          }}
        >
          <Download aria-hidden />
          Download
        </Button>
      </div>
      <ol
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        aria-label="Log lines, newest first"
        className="max-h-[60dvh] divide-y divide-line overflow-y-auto rounded-lg border border-line bg-surface font-mono text-sm"
      >
        {shown.map((line, index) => (
          <li
            key={index}
            className="grid grid-cols-[minmax(0,1fr)] gap-x-3 px-3 py-1 sm:grid-cols-[auto_3.5rem_minmax(0,1fr)]"
          >
            <time dateTime={line.at} className="text-ink-3">
              {formatTime(line.at)}
            </time>
            <span className="text-ink-3">{line.stream}</span>
            <span className="[overflow-wrap:anywhere] whitespace-pre-wrap">{line.text}</span>
          </li>
        ))}
        {shown.length === 0 && <li className="px-3 py-2 font-sans text-ink-3">No line has this in it.</li>}
      </ol>
    </div>
  )
}

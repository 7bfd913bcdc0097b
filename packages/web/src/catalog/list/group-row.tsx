import type { ConnectorView } from '@herma/contract'
import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { describeHealth } from '../../connector/describe-health.ts'
import { cn } from '../../ui/cn.ts'
import { count } from '../../ui/format.ts'
import { StatusDot } from '../../ui/status-dot.tsx'
import type { ToolGroup } from '../arrange-tools.ts'

interface GroupRowProps {
  readonly group: ToolGroup
  /** Absent for the tools that Herma runs itself. */
  readonly connector: ConnectorView | undefined
  readonly isOpen: boolean
  /** How many of its tools are selected. */
  readonly selected: number
  readonly canSelect: boolean
  readonly onToggle: () => void
  readonly onSelect: (isSelected: boolean) => void
}

/** A server in the list of tools: its health, how many tools it has, and what they cost. */
export function GroupRow(props: GroupRowProps) {
  const { group, connector, isOpen, selected, canSelect, onToggle, onSelect } = props
  const { server, tools, total, hidden, tokens } = group
  const health = connector === undefined ? null : describeHealth(connector)
  return (
    <div className="flex min-h-10 items-center gap-3 bg-well px-3 py-1.5">
      {canSelect && (
        <input
          type="checkbox"
          aria-label={`Select the tools of ${server}`}
          className="size-4 shrink-0 accent-accent"
          checked={selected === tools.length}
          ref={(box) => {
            if (box !== null) box.indeterminate = selected > 0 && selected < tools.length
          }}
          onChange={(event) => onSelect(event.target.checked)}
        />
      )}
      <button
        type="button"
        data-main
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex min-h-7 min-w-0 items-center gap-1.5 rounded-sm font-medium pointer-coarse:min-h-11"
      >
        <ChevronRight className={cn('size-4 shrink-0 text-ink-3', isOpen && 'rotate-90')} aria-hidden />
        <span className="truncate">{server === 'herma' ? 'Made here' : server}</span>
      </button>
      {health !== null && (
        <span className="hidden min-w-0 flex-1 truncate text-sm sm:block">
          <StatusDot tone={health.tone}>
            <Link to="/connectors/$name" params={{ name: server }} className="line-clamp-1 hover:underline">
              {health.text}
            </Link>
          </StatusDot>
        </span>
      )}
      <span className="tnum ml-auto shrink-0 text-right text-sm text-ink-2">
        {tools.length === total ? count(total, 'tool') : `${tools.length} of ${total}`}
        {hidden > 0 && <span className="text-ink-3">, {hidden} hidden</span>}
      </span>
      <span className="tnum hidden w-24 shrink-0 text-right text-sm text-ink-2 sm:block">
        {tokens.toLocaleString()} tokens
      </span>
    </div>
  )
}

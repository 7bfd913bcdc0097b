import type { CatalogTool } from '@herma/contract'
import { useRef } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { cn } from '../../ui/cn.ts'

interface ToolRowProps {
  readonly tool: CatalogTool
  readonly isSelected: boolean
  readonly canSelect: boolean
  readonly isRisky: boolean
  /** With Shift, all from the last one on. */
  readonly onToggle: (isRange: boolean) => void
  readonly onOpen: () => void
}

/** One tool: the name that clients see, what it says of itself, what is special about it, and its cost. */
export function ToolRow({ tool, isSelected, canSelect, isRisky, onToggle, onOpen }: ToolRowProps) {
  const { name, connector, originalName, description, hiddenBecause, tokens } = tool
  const label = name ?? originalName
  const isRange = useRef(false)
  return (
    <div className={cn('flex min-h-10 items-center gap-3 px-3 py-1.5 hover:bg-well', isSelected && 'bg-accent-soft')}>
      {canSelect && (
        <input
          type="checkbox"
          aria-label={`Select ${label}`}
          className="size-4 shrink-0 accent-accent"
          checked={isSelected}
          // The change that follows a click does not know of Shift.
          onClick={(event) => {
            isRange.current = event.shiftKey
          }}
          onChange={() => onToggle(isRange.current)}
        />
      )}
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-0.5 sm:flex-nowrap">
        <button
          type="button"
          data-main
          title={hiddenBecause ?? `${originalName} of ${connector}`}
          onClick={onOpen}
          className={cn(
            'min-h-6 max-w-full rounded-sm text-left font-mono text-sm [overflow-wrap:anywhere] hover:underline sm:w-72 sm:shrink-0 sm:truncate pointer-coarse:min-h-11',
            hiddenBecause !== null && 'text-ink-3',
          )}
        >
          {label}
        </button>
        <span className="hidden min-w-0 flex-1 truncate text-sm text-ink-2 sm:block">{description}</span>
        <Marks tool={tool} isRisky={isRisky} />
      </div>
      <span className="tnum w-12 shrink-0 text-right text-sm text-ink-2">
        {tokens.toLocaleString()}
        <span className="sr-only"> tokens</span>
      </span>
    </div>
  )
}

function Marks({ tool, isRisky }: { tool: CatalogTool; isRisky: boolean }) {
  const { hiddenBecause, pin, overridden, overrideState, tags } = tool
  return (
    <span className="flex shrink-0 flex-wrap items-center gap-1">
      {tags.slice(0, 3).map((tag) => (
        <Badge key={tag}>{tag}</Badge>
      ))}
      {tags.length > 3 && <Badge>+{tags.length - 3}</Badge>}
      {overrideState === 'conflicting' ? (
        <Badge tone="warn">Override conflicts</Badge>
      ) : (
        overridden.some((field) => field !== 'enabled' && field !== 'tags') && <Badge tone="accent">Overridden</Badge>
      )}
      {isRisky && <Badge tone="bad">Findings</Badge>}
      {pin === 'blocked' && <Badge tone="warn">Blocked until approved</Badge>}
      {pin === 'pending' && <Badge tone="warn">Waits for approval</Badge>}
      {hiddenBecause !== null && pin !== 'blocked' && <Badge>Hidden</Badge>}
    </span>
  )
}

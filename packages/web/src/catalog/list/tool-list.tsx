import type { CatalogTool } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import { connectorsQuery } from '../../api/queries.ts'
import { count } from '../../ui/format.ts'
import { useShortcuts } from '../../ui/page/shortcuts.ts'
import { keysBetween, toolKey, type ToolLine } from '../arrange-tools.ts'
import { GroupRow } from './group-row.tsx'
import { ToolRow } from './tool-row.tsx'

interface ToolListProps {
  readonly lines: readonly ToolLine[]
  /** What passes the filter, those of closed groups too. */
  readonly shown: readonly CatalogTool[]
  readonly canSelect: boolean
  readonly selected: ReadonlySet<string>
  readonly onSelect: (selected: ReadonlySet<string>) => void
  readonly risky: ReadonlySet<string>
  readonly collapsed: ReadonlySet<string>
  readonly onCollapse: (collapsed: ReadonlySet<string>) => void
  readonly onOpen: (tool: CatalogTool) => void
  /** False while something lies over the list. */
  readonly isActive: boolean
}

const usualRowPx = 41

/** The lines in sight of a list that may have thousands. j and k move, x selects, Enter opens. */
export function ToolList(props: ToolListProps) {
  const { lines, shown, canSelect, selected, onSelect, risky, collapsed, onCollapse, onOpen, isActive } = props
  const list = useRef<HTMLUListElement>(null)
  const wanted = useRef<number | null>(null)
  const anchor = useRef<string | null>(null)
  const [top, setTop] = useState(0)
  const connectors = useQuery(connectorsQuery).data
  const byName = useMemo(() => new Map(connectors?.map((connector) => [connector.name, connector])), [connectors])
  useLayoutEffect(() => setTop((list.current?.getBoundingClientRect().top ?? 0) + scrollY), [shown.length])
  // eslint-disable-next-line react/incompatible-library
  const virtual = useWindowVirtualizer({
    count: lines.length,
    estimateSize: () => usualRowPx,
    getItemKey: (index) => lines[index]!.key,
    overscan: 12,
    scrollMargin: top,
    scrollPaddingStart: 64,
    scrollPaddingEnd: 72,
  })

  const select = (keys: readonly string[], isSelected: boolean) => {
    const next = new Set(selected)
    for (const key of keys)
      if (isSelected) next.add(key)
      else next.delete(key)
    onSelect(next)
  }
  function toggle(key: string, isRange: boolean) {
    const keys = isRange && anchor.current !== null ? keysBetween(lines, anchor.current, key) : [key]
    select(keys, !selected.has(key))
    anchor.current = key
  }
  function toggleGroup(server: string) {
    const next = new Set(collapsed)
    if (!next.delete(server)) next.add(server)
    onCollapse(next)
  }

  function focusWanted() {
    if (wanted.current === null) return
    const row = list.current?.querySelector<HTMLElement>(`[data-line="${wanted.current}"] [data-main]`)
    if (row === null || row === undefined) return
    row.focus({ preventScroll: true })
    wanted.current = null
  }
  // A row that is out of sight is drawn only after the list has scrolled.
  useEffect(focusWanted)
  const at = () => {
    if (wanted.current !== null) return wanted.current
    const row = document.activeElement?.closest('[data-line]')
    return row === null || row === undefined ? -1 : Number(row.getAttribute('data-line'))
  }
  function step(by: number) {
    const next = Math.min(Math.max(at() + by, 0), lines.length - 1)
    virtual.scrollToIndex(next, { align: 'auto' })
    wanted.current = next
    focusWanted()
  }
  const keys: Record<string, () => void> = {
    j: () => step(1),
    k: () => step(-1),
    x: () => {
      const line = lines[at()]
      if (!canSelect || line === undefined) return
      if (line.kind === 'tool') return toggle(line.key, false)
      const own = line.group.tools.map(toolKey)
      select(own, !own.every((key) => selected.has(key)))
    },
  }
  useShortcuts(keys, isActive)
  // A box that was just ticked counts as typing for the page, though nobody types into it.
  function onKeyDown(event: KeyboardEvent) {
    const run = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key]
    if (run === undefined) return
    event.preventDefault()
    run()
  }

  const chosen = shown.filter((tool) => selected.has(toolKey(tool))).length
  return (
    <div className="rounded-lg border border-line bg-surface shadow-card">
      {canSelect && (
        <label className="flex h-10 items-center gap-3 border-b border-line px-3 text-sm text-ink-2 pointer-coarse:h-11">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={chosen === shown.length}
            ref={(box) => {
              if (box !== null) box.indeterminate = chosen > 0 && chosen < shown.length
            }}
            onChange={(event) => select(shown.map(toolKey), event.target.checked)}
          />
          Select all {count(shown.length, 'tool')} shown
          <span className="ml-auto hidden text-xs text-ink-3 lg:inline">j k move · x select · Enter open</span>
        </label>
      )}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <ul
        ref={list}
        aria-label="Tools"
        onKeyDown={onKeyDown}
        className="relative"
        style={{ height: virtual.getTotalSize() }}
      >
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const line = lines[index]!
          return (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              data-line={index}
              aria-posinset={index + 1}
              aria-setsize={lines.length}
              className="absolute inset-x-0 border-b border-line last:border-b-0"
              style={{ transform: `translateY(${start - top}px)` }}
            >
              {line.kind === 'group' ? (
                <GroupRow
                  group={line.group}
                  connector={byName.get(line.group.server)}
                  isOpen={!collapsed.has(line.group.server)}
                  selected={line.group.tools.filter((tool) => selected.has(toolKey(tool))).length}
                  canSelect={canSelect}
                  onToggle={() => toggleGroup(line.group.server)}
                  onSelect={(isSelected) => select(line.group.tools.map(toolKey), isSelected)}
                />
              ) : (
                <ToolRow
                  tool={line.tool}
                  canSelect={canSelect}
                  isSelected={selected.has(line.key)}
                  isRisky={risky.has(line.key)}
                  onToggle={(isRange) => toggle(line.key, isRange)}
                  onOpen={() => onOpen(line.tool)}
                />
              )}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

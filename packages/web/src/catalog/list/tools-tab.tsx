import type { CatalogTool, CostReport } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useDeferredValue, useMemo, useState, type ReactNode } from 'react'
import { useMay } from '../../api/me.ts'
import { toolsQuery } from '../../api/queries.ts'
import { Button, buttonStyle } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Input } from '../../ui/form/field.tsx'
import { count } from '../../ui/format.ts'
import { Empty, Loaded } from '../../ui/page/page-state.tsx'
import { arrangeTools, filterTools, toolFilters, toolKey, type Arrangement, type ToolFilter } from '../arrange-tools.ts'
import { costQuery, findingsQuery } from '../catalog-queries.ts'
import { useCatalogSearch } from '../catalog-search.ts'
import { ToolDrawer } from '../tool/tool-drawer.tsx'
import { ToolActions } from './tool-actions.tsx'
import { ToolList } from './tool-list.tsx'

const filterNames: Record<ToolFilter, string> = {
  hidden: 'Hidden',
  overridden: 'Overridden',
  waiting: 'Waiting for approval',
  findings: 'Findings',
}

/** Every tool, below its server or as hits of a text; several can be hidden, shown, tagged and approved at once. */
export function ToolsTab() {
  const [search, change] = useCatalogSearch()
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 pt-4">
      <Loaded query={useQuery(toolsQuery)} what="the tools">
        {(tools) => (tools.length === 0 ? <NoTools /> : <Tools tools={tools} />)}
      </Loaded>
      {search.tool !== undefined && (
        <ToolDrawer key={search.tool} place={search.tool} onClose={() => change({ tool: undefined })} />
      )}
    </div>
  )
}

function Tools({ tools }: { tools: readonly CatalogTool[] }) {
  const [search, change] = useCatalogSearch()
  const mayChange = useMay('admin')
  const findings = useQuery(findingsQuery).data
  const cost = useQuery(costQuery).data
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set())
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const risky = useMemo(
    () => new Set(findings?.map(({ connector, tool }) => toolKey({ connector, originalName: tool }))),
    [findings],
  )
  const filter = toolFilters.find((each) => each === search.filter)
  const text = useDeferredValue(search.text ?? '')
  const arrangement: Arrangement = useMemo(() => ({ text, filter, risky, collapsed }), [text, filter, risky, collapsed])
  const shown = useMemo(() => filterTools(tools, arrangement), [tools, arrangement])
  const lines = useMemo(() => arrangeTools(tools, shown, arrangement), [tools, shown, arrangement])
  // What the filter does not show is not acted upon, though it stays selected.
  const chosen = useMemo(() => shown.filter((tool) => selected.has(toolKey(tool))), [shown, selected])
  const counts = useMemo(
    () =>
      new Map(toolFilters.map((each) => [each, filterTools(tools, { ...arrangement, text: '', filter: each }).length])),
    [tools, arrangement],
  )
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <div className="w-full sm:w-72">
          <Input
            data-filter
            aria-label="Filter tools"
            type="search"
            placeholder="Name, description or tag"
            value={search.text ?? ''}
            onChange={(event) => change({ text: event.target.value || undefined }, { replace: true })}
          />
        </div>
        {toolFilters.map((each) => (
          <Pill
            key={each}
            isOn={filter === each}
            onClick={() => change({ filter: filter === each ? undefined : each })}
          >
            {filterNames[each]} {counts.get(each)}
          </Pill>
        ))}
      </div>
      {cost !== undefined && <Cost cost={cost} hidden={tools.length - cost.tools} />}
      {shown.length === 0 ? (
        <Empty
          title="No tool fits."
          actions={<Button onClick={() => change({ text: undefined, filter: undefined })}>Show all tools</Button>}
        >
          <p>Try fewer letters, or take the filter away.</p>
        </Empty>
      ) : (
        <ToolList
          lines={lines}
          shown={shown}
          canSelect={mayChange}
          selected={selected}
          onSelect={setSelected}
          risky={risky}
          collapsed={collapsed}
          onCollapse={setCollapsed}
          isActive={search.tool === undefined}
          onOpen={(tool) => change({ tool: toolKey(tool) })}
        />
      )}
      {chosen.length > 0 && <ToolActions tools={chosen} onClear={() => setSelected(new Set())} />}
    </>
  )
}

/** What a model pays before it does anything, and what it would pay otherwise. */
function Cost({ cost, hidden }: { cost: CostReport; hidden: number }) {
  const others = cost.modes.filter(({ mode }) => mode !== 'full')
  return (
    <p className="text-sm text-ink-2">
      Clients see <strong className="font-medium text-ink">{count(cost.tools, 'tool')}</strong>
      {hidden > 0 && `, ${hidden.toLocaleString()} are hidden`}. Their definitions cost a model about{' '}
      <strong className="tnum font-medium text-ink">{cost.tokens.toLocaleString()} tokens</strong>
      {others.map(({ mode, tokens }, index) => (
        <span key={mode} className="tnum">
          {index === 0 ? '; ' : ', '}
          {tokens.toLocaleString()} in {mode} mode
        </span>
      ))}
      .{' '}
      <Link to="/catalog" search={{ tab: 'modes' }} className="underline">
        Compare modes
      </Link>
    </p>
  )
}

function NoTools() {
  const add = (
    <Link to="/connectors/new" className={buttonStyle({ variant: 'primary' })}>
      Add a connector
    </Link>
  )
  return (
    <Empty title="There are no tools yet." actions={add}>
      <p>Tools come from your servers. Connect one, and its tools are listed here.</p>
    </Empty>
  )
}

interface PillProps {
  readonly isOn: boolean
  readonly onClick: () => void
  readonly children: ReactNode
}

/** A filter that is on or off. */
function Pill({ isOn, onClick, children }: PillProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onClick}
      className={cn(
        'h-8 rounded-full border border-line-strong px-3 text-sm text-ink-2 hover:bg-well pointer-coarse:h-11',
        isOn && 'border-accent bg-accent-soft font-medium text-accent-text hover:bg-accent-soft',
      )}
    >
      {children}
    </button>
  )
}

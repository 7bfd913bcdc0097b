import { useNavigate } from '@tanstack/react-router'
import { Search, X } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Input } from '../../ui/form/field.tsx'
import { everyKind, everyRequest, failedOutcomes, setFields, slowMs } from '../trace-filter.ts'
import type { TraceSearch } from '../trace-search.ts'
import { AddFilter } from './add-filter.tsx'

interface FilterBarProps {
  readonly search: TraceSearch
  /** Values that the rows in the list have, offered when a filter is added. */
  readonly known: (name: string) => readonly string[]
  /** At the right: what concerns the list as a whole. */
  readonly children: ReactNode
}

/** Which calls are shown, as pills that are also the address of the page. */
export function FilterBar({ search, known, children }: FilterBarProps) {
  const navigate = useNavigate()
  const set = (part: TraceSearch) =>
    void navigate({ to: '/traces', search: (last: TraceSearch) => ({ ...last, ...part }) })
  const toggle = (name: 'outcome' | 'minMs', value: string) =>
    set({ [name]: search[name] === value ? undefined : value })
  const fields = setFields(search)
  const { trace: _, compare: __, ...filter } = search
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  const shown = shownKinds.find(({ kind }) => kind === search.kind)?.id
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <TextFilter value={search.text} onChange={(text) => set({ text })} />
        <Pill
          isOn={search.outcome === failedOutcomes}
          title="Failed, or refused"
          onClick={() => toggle('outcome', failedOutcomes)}
        >
          Errors
        </Pill>
        <Pill isOn={search.minMs === slowMs} title="1 s or more" onClick={() => toggle('minMs', slowMs)}>
          Slow
        </Pill>
        <AddFilter known={known} onAdd={set} />
        <fieldset className="flex rounded-md border border-line-strong">
          <legend className="sr-only">What is shown</legend>
          {shownKinds.map(({ id, label, kind }) => (
            <button
              key={id}
              type="button"
              aria-pressed={shown === id}
              onClick={() => set({ kind })}
              className={cn(
                'h-7.5 px-2.5 text-sm text-ink-2 first-of-type:rounded-l-md last-of-type:rounded-r-md hover:bg-well pointer-coarse:h-11',
                shown === id && 'bg-accent-soft font-medium text-accent-text hover:bg-accent-soft',
              )}
            >
              {label}
            </button>
          ))}
        </fieldset>
        <div className="ml-auto flex flex-wrap items-center gap-2">{children}</div>
      </div>
      {isFiltered && (
        <div className="flex flex-wrap items-center gap-1.5">
          {fields.map(({ name, label, value }) => (
            <span
              key={name}
              className="flex h-7 max-w-full min-w-0 items-center gap-1 rounded-full bg-accent-soft pl-2.5 text-sm text-accent-text pointer-coarse:h-11"
            >
              <span className="truncate">
                {label}: {value}
              </span>
              <button
                type="button"
                aria-label={`Remove the filter ${label}`}
                onClick={() => set({ [name]: undefined })}
                className="grid size-7 shrink-0 place-items-center rounded-full hover:bg-surface pointer-coarse:size-11"
              >
                <X className="size-3.5" aria-hidden />
              </button>
            </span>
          ))}
          <Button
            size="sm"
            variant="ghost"
            onClick={() => void navigate({ to: '/traces', search: search.trace ? { trace: search.trace } : {} })}
          >
            Clear filter
          </Button>
        </div>
      )}
    </div>
  )
}

const shownKinds = [
  { id: 'calls', label: 'Calls', kind: undefined },
  { id: 'requests', label: 'Requests', kind: everyRequest },
  { id: 'turns', label: 'Turns', kind: 'turn.finished' },
  { id: 'all', label: 'All events', kind: everyKind },
] as const

interface PillProps {
  readonly isOn: boolean
  readonly onClick: () => void
  readonly title: string
  readonly children: ReactNode
}

function Pill({ isOn, onClick, title, children }: PillProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      title={title}
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

const typingMs = 300

function TextFilter({ value = '', onChange }: { value?: string; onChange: (text: string | undefined) => void }) {
  const [text, setText] = useState(value)
  const [told, setTold] = useState(value)
  // The address changed otherwise, as by the back button.
  if (value !== told) {
    setTold(value)
    setText(value)
  }
  useEffect(() => {
    if (text === told) return
    const timer = setTimeout(() => {
      setTold(text)
      onChange(text.trim() === '' ? undefined : text)
    }, typingMs)
    return () => clearTimeout(timer)
  })
  return (
    <div className="relative w-full sm:w-56">
      <Search className="absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-ink-3" aria-hidden />
      <Input
        data-filter
        aria-label="Search words"
        type="search"
        placeholder="Search words"
        maxLength={500}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="pl-8.5"
      />
    </div>
  )
}

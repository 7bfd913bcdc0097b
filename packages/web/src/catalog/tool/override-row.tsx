import type { FieldView } from '@herma/contract'
import { Pencil, RotateCcw } from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { OverrideControl } from './override-control.tsx'
import type { OverrideField } from './override-draft.ts'
import type { OverrideEditing } from './use-override-form.ts'

interface OverrideRowProps {
  readonly label: string
  readonly field: OverrideField
  readonly view: FieldView
  readonly form: OverrideEditing
  readonly mayChange: boolean
  /** It is overridden by hand, as far as the hub knows. */
  readonly isSaved: boolean
  readonly onBegin: () => void
}

/** One field in its three columns, below each other where there is no room. */
export function OverrideRow({ label, field, view, form, mayChange, isSaved, onBegin }: OverrideRowProps) {
  const value = form.draft[field]
  const isByHand = value !== undefined
  const begin = () => {
    onBegin()
    requestAnimationFrame(() => document.getElementById(field)?.focus())
  }
  const reset = () => {
    form.change({ [field]: undefined })
    requestAnimationFrame(() => document.getElementById(`${field}-begin`)?.focus())
  }
  return (
    <section
      aria-label={label}
      className="grid grid-cols-[minmax(0,1fr)] gap-x-4 gap-y-2 border-b border-line py-3 md:grid-cols-[7rem_repeat(3,minmax(0,1fr))]"
    >
      <h3 className="text-sm font-medium">{label}</h3>
      <Cell label="Original">
        <FieldValue value={view.original} label={`${label}, original`} />
      </Cell>
      <Cell label="Override">
        {isByHand && mayChange ? (
          <>
            <OverrideControl field={field} label={label} form={form} />
            <State view={view} />
            <Button
              size="sm"
              variant="ghost"
              className="-ml-2.5 justify-self-start"
              onClick={reset}
              aria-label={`Reset ${label}`}
            >
              <RotateCcw aria-hidden />
              Reset
            </Button>
          </>
        ) : (
          <>
            {isSaved && !isByHand && <span className="text-sm text-ink-2">Taken back</span>}
            {!isSaved && view.origin !== null && (
              <>
                <FieldValue value={view.override} label={`${label}, override`} />
                <span className="text-xs text-ink-3">in {view.origin}</span>
                <State view={view} />
              </>
            )}
            {mayChange && (
              <Button
                id={`${field}-begin`}
                size="sm"
                variant="ghost"
                className="-ml-2.5 justify-self-start"
                onClick={begin}
                aria-label={`Override ${label}`}
              >
                <Pencil aria-hidden />
                Override
              </Button>
            )}
          </>
        )}
      </Cell>
      <Cell label="What clients see">
        <Exposed view={view} label={label} value={value} isSaved={isSaved} />
      </Cell>
    </section>
  )
}

function Cell({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-1">
      <span className="text-xs text-ink-3 md:hidden">{label}</span>
      {children}
    </div>
  )
}

function State({ view: { state, base } }: { view: FieldView }) {
  if (state === 'obsolete')
    return <p className="text-sm text-ink-2">The server says the same now, so this is not needed any more.</p>
  if (state !== 'conflicting') return null
  return (
    <div className="text-sm text-warn">
      The server changed it since. Then it said:
      <FieldValue value={base} label="What the server said then" />
    </div>
  )
}

interface ExposedProps {
  readonly view: FieldView
  readonly label: string
  readonly value: unknown
  readonly isSaved: boolean
}

function Exposed({ view, label, value, isSaved }: ExposedProps) {
  const isText = typeof value === 'string'
  const saved = typeof view.override === 'string' || !isText ? view.override : JSON.stringify(view.override, null, 2)
  if (value === undefined && isSaved)
    return (
      <>
        <Badge tone="accent" className="-ml-2.5 justify-self-start">
          After saving
        </Badge>
        <span className="text-sm text-ink-2">As its server or a file says</span>
      </>
    )
  const isNew = view.field !== 'enabled' && isText && value !== saved
  if (!isNew) return <FieldValue value={view.exposed} label={`${label}, as clients see it`} />
  return (
    <>
      <Badge tone="accent" className="-ml-2.5 justify-self-start">
        After saving
      </Badge>
      <FieldValue value={value} label={`${label}, as clients will see it`} />
    </>
  )
}

/** A value of a field to read: text as it is, everything else as JSON. */
function FieldValue({ value, label }: { value: unknown; label: string }) {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0))
    return <span className="text-sm text-ink-3">Nothing</span>
  if (Array.isArray(value) && value.every((each) => typeof each === 'string'))
    return <span className="text-sm [overflow-wrap:anywhere]">{value.join(', ')}</span>
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  const isLong = text.length > 240 || text.split('\n').length > 6
  const isCode = typeof value !== 'string' || text.startsWith('{')
  return (
    <div
      {...(isLong ? { role: 'group', tabIndex: 0, 'aria-label': label } : {})}
      className={`text-sm [overflow-wrap:anywhere] whitespace-pre-wrap ${isLong ? 'max-h-52 overflow-y-auto rounded-md border border-line bg-well px-2 py-1' : ''} ${isCode ? 'font-mono' : ''}`}
    >
      {text}
    </div>
  )
}

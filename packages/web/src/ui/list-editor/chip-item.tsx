import { ArrowLeft, ArrowRight, GripVertical, X } from 'lucide-react'
import { useEffect, useRef, useState, type FocusEvent, type KeyboardEvent, type ReactNode } from 'react'
import { cn } from '../cn.ts'
import type { useReorder } from './use-reorder.ts'

interface ChipItemProps {
  /** Also the id of its text; its handle is `…-handle`. */
  readonly id: string
  readonly value: string
  readonly noun: string
  readonly place: number
  readonly total: number
  /** Null where the order does not matter. */
  readonly reorder: ReturnType<typeof useReorder> | null
  readonly isInvalid: boolean
  readonly onEdit: (value: string) => void
  /** By how many places; its text keeps the focus. */
  readonly onMove: (by: -1 | 1) => void
  readonly onRemove: () => void
}

/** One word of a list: its handle, its text, which becomes a field when it is pressed, and a button that removes it. */
export function ChipItem(props: ChipItemProps) {
  const { id, value, noun, place, total, reorder, isInvalid, onEdit, onMove, onRemove } = props
  const [isEditing, setEditing] = useState(false)
  const isOrdered = reorder !== null
  const called = value === '' ? `empty ${noun}` : value
  const position = `${place} of ${total}`

  function onKeyDown(event: KeyboardEvent) {
    const keys = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 } as const
    const by = event.altKey && isOrdered ? keys[event.key as keyof typeof keys] : undefined
    if (by !== undefined) onMove(by)
    else if (event.key === 'Delete' || event.key === 'Backspace') onRemove()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <li
      {...reorder?.item(place - 1)}
      className={cn(
        'flex h-7 max-w-full items-center rounded-md border border-line bg-well data-[drop=after]:shadow-[3px_0_0_var(--accent)] data-[drop=before]:shadow-[-3px_0_0_var(--accent)] data-moving:border-accent data-moving:opacity-60 pointer-coarse:h-11',
        isInvalid && 'border-bad',
      )}
    >
      {reorder !== null && (
        <button
          type="button"
          id={`${id}-handle`}
          {...reorder.handle(place - 1)}
          aria-label={`Move ${called}, ${position}`}
          className="grid h-full w-6 shrink-0 cursor-grab touch-none place-items-center rounded-l-md text-ink-3 hover:text-ink pointer-coarse:w-10"
        >
          <GripVertical className="size-3.5" aria-hidden />
        </button>
      )}
      {isEditing ? (
        <ChipEditor {...props} called={called} onDone={() => setEditing(false)} onEdit={onEdit} />
      ) : (
        <button
          type="button"
          id={id}
          onClick={() => setEditing(true)}
          onKeyDown={onKeyDown}
          aria-label={`Edit ${called}, ${position}`}
          aria-keyshortcuts={isOrdered ? 'Delete Alt+ArrowLeft Alt+ArrowRight' : 'Delete'}
          className={cn(
            'h-full min-w-6 truncate rounded-sm px-1 font-mono text-sm decoration-line-strong underline-offset-4 hover:underline',
            !isOrdered && 'pl-2',
          )}
        >
          {value === '' ? <span className="text-ink-3">""</span> : <Highlighted text={value} />}
        </button>
      )}
      <button
        type="button"
        onClick={onRemove}
        aria-label={`Remove ${called}`}
        className="grid h-full w-6 shrink-0 place-items-center rounded-r-md text-ink-3 hover:text-bad pointer-coarse:w-10"
      >
        <X className="size-3.5" aria-hidden />
      </button>
    </li>
  )
}

/** What is put in when it runs stands out. */
function Highlighted({ text }: { text: string }) {
  const parts = text.split(/(\{[a-z_]+(?::[\w.-]+)?\})/)
  return parts.map((part, index) =>
    index % 2 === 1 ? (
      <span key={index} className="text-accent-text">
        {part}
      </span>
    ) : (
      part
    ),
  )
}

function ChipEditor(props: ChipItemProps & { called: string; onDone: () => void }) {
  const { id, value, noun, place, total, reorder, called, onEdit, onMove, onDone } = props
  const [text, setText] = useState(value)
  const field = useRef<HTMLInputElement>(null)
  const isLeaving = useRef(false)
  useEffect(() => field.current?.select(), [])

  function finish(next: string, isFocusKept: boolean) {
    if (isLeaving.current) return
    isLeaving.current = true
    onDone()
    if (next !== value) onEdit(next)
    if (isFocusKept) requestAnimationFrame(() => document.getElementById(id)?.focus())
  }
  function moveBy(by: -1 | 1) {
    isLeaving.current = true
    onDone()
    onMove(by)
  }
  const onBlur = (event: FocusEvent) => {
    if (!event.currentTarget.contains(event.relatedTarget)) finish(text, false)
  }
  return (
    <span className="flex h-full min-w-0 items-center" onBlur={onBlur}>
      <input
        ref={field}
        aria-label={`${noun} ${place}`}
        value={text}
        size={Math.max(text.length, 4)}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) finish(text, true)
          else if (event.key === 'Escape') finish(value, true)
          else return
          event.preventDefault()
          event.stopPropagation()
        }}
        className="h-full min-w-0 bg-surface px-1 font-mono text-sm outline-none"
      />
      {reorder !== null && place > 1 && (
        <MoveButton label={`Move ${called} before`} onClick={() => moveBy(-1)}>
          <ArrowLeft className="size-3.5" aria-hidden />
        </MoveButton>
      )}
      {reorder !== null && place < total && (
        <MoveButton label={`Move ${called} behind`} onClick={() => moveBy(1)}>
          <ArrowRight className="size-3.5" aria-hidden />
        </MoveButton>
      )}
    </span>
  )
}

function MoveButton({ label, onClick, children }: { label: string; onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
      className="grid h-full w-6 shrink-0 place-items-center text-ink-2 hover:text-ink pointer-coarse:w-10"
    >
      {children}
    </button>
  )
}

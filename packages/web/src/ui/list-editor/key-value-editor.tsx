import { Plus } from 'lucide-react'
import { useLayoutEffect, useRef } from 'react'
import { Button } from '../button.tsx'
import { count } from '../format.ts'
import { KeyValueRow } from './key-value-row.tsx'
import { mergeRows, type ValueRow } from './value-row.ts'

interface KeyValueEditorProps {
  /** The path of the field in its form: `env`; rows have `env.0.name` and so on. */
  readonly id: string
  /** What one row is: 'variable', 'header'. */
  readonly noun: string
  readonly rows: readonly ValueRow[]
  readonly onChange: (rows: ValueRow[]) => void
  /** What is wrong at a path such as `env.0.name`. */
  readonly problem?: (path: string) => string | undefined
  readonly onTouch?: (path: string) => void
  /** Whether a value may be left to each person. */
  readonly canBePersonal?: boolean
  /** Shown in an empty name and value. */
  readonly examples?: readonly [string, string]
  readonly disabled?: boolean
}

/**
 * Names with values, one below the other. Enter adds a row, a pasted `.env`, header lines or JSON fill several. A value
 * whose name sounds like a secret begins as one.
 */
export function KeyValueEditor({ id, noun, rows, onChange, canBePersonal = false, ...rest }: KeyValueEditorProps) {
  const wanted = useRef<string | null>(null)
  // Before the next key arrives.
  useLayoutEffect(() => {
    if (wanted.current === null) return
    document.getElementById(wanted.current)?.focus()
    wanted.current = null
  })
  const focusNext = (path: string) => {
    wanted.current = path
  }
  const replace = (index: number, row: ValueRow) => onChange(rows.map((each, at) => (at === index ? row : each)))

  function add() {
    focusNext(`${id}.${rows.length}.name`)
    onChange([...rows, emptyRow])
  }
  function remove(index: number) {
    focusNext(rows.length === 1 ? `${id}-add` : `${id}.${Math.max(0, index - 1)}.name`)
    onChange(rows.filter((_, at) => at !== index))
  }
  function paste(index: number, pasted: readonly { name: string; value: string }[]) {
    const next = mergeRows(rows, index, pasted)
    focusNext(`${id}.${next.length - 1}.name`)
    onChange(next)
  }

  const suspects = rows.filter((row) => row.secret && row.value !== undefined && row.value !== '')
  return (
    <div id={id} tabIndex={-1} className="@container grid grid-cols-[minmax(0,1fr)] gap-2 outline-none">
      {rows.length > 0 && (
        <ul aria-label={`${capitalise(noun)}s`} className="grid grid-cols-[minmax(0,1fr)] gap-2">
          {rows.map((row, index) => (
            <KeyValueRow
              // Rows have no identity besides their place.
              key={index}
              path={`${id}.${index}`}
              place={index + 1}
              noun={noun}
              row={row}
              canBePersonal={canBePersonal || row.personal === true}
              onChange={(next) => replace(index, next)}
              onAdd={add}
              onRemove={() => remove(index)}
              onPasteRows={(pasted) => paste(index, pasted)}
              {...rest}
            />
          ))}
        </ul>
      )}
      {rest.disabled !== true && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Button id={`${id}-add`} size="sm" onClick={add}>
            <Plus aria-hidden />
            Add {noun}
          </Button>
          <p className="text-sm text-ink-3">Enter adds a row. Paste several lines into a name to fill many.</p>
        </div>
      )}
      {suspects.length > 0 && (
        <p className="text-sm text-ink-2">
          {count(suspects.length, 'secret')} will be stored encrypted and never shown again. Copy what you may need
          elsewhere now.
        </p>
      )}
    </div>
  )
}

const emptyRow: ValueRow = { name: '', value: '', secret: false }

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

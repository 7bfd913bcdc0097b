import { secretNamesIn } from '@herma/contract'
import { Lock, LockOpen, Trash2 } from 'lucide-react'
import type { ClipboardEvent, KeyboardEvent } from 'react'
import { IconButton } from '../button.tsx'
import { cn } from '../cn.ts'
import { Input, Select, TextArea } from '../form/field.tsx'
import { SecretInput } from '../form/secret-input.tsx'
import { readRows, type NamedText } from './read-rows.ts'
import { renameRow, type ValueRow } from './value-row.ts'

interface KeyValueRowProps {
  /** `env.0` */
  readonly path: string
  readonly place: number
  readonly noun: string
  readonly row: ValueRow
  readonly canBePersonal: boolean
  readonly onChange: (row: ValueRow) => void
  readonly onAdd: () => void
  readonly onRemove: () => void
  readonly onPasteRows: (rows: NamedText[]) => void
  readonly problem?: (path: string) => string | undefined
  readonly onTouch?: (path: string) => void
  readonly examples?: readonly [string, string]
  readonly disabled?: boolean
}

/** One name with its value, whether it is a secret, and a button that removes it. */
export function KeyValueRow(props: KeyValueRowProps) {
  const { path, place, noun, row, onChange, onAdd, onRemove, onPasteRows, problem, onTouch, examples, disabled } = props
  const called = row.name === '' ? `${noun} ${place}` : row.name
  const problems = ['name', 'value', 'personal'].map((part) => problem?.(`${path}.${part}`))
  const [nameProblem, ...otherProblems] = problems
  const problemText = problems.find((text) => text !== undefined)

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
    event.preventDefault()
    onAdd()
  }
  function onPaste(event: ClipboardEvent, isName: boolean) {
    const text = event.clipboardData.getData('text')
    const isMany = /[\r\n]/.test(text.trim())
    const rows = isName || isMany ? readRows(text) : null
    if (rows !== null && (isName || rows.length > 1)) {
      event.preventDefault()
      onPasteRows(rows)
    } else if (isMany && !isName) {
      // A field of one line would drop the breaks, and with them the sense of a key in PEM.
      event.preventDefault()
      onChange({ ...row, value: (row.value ?? '') + text })
    }
  }

  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-2 gap-y-1 @lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto]">
      <Input
        id={`${path}.name`}
        mono
        aria-label={`Name of ${called}`}
        aria-invalid={nameProblem !== undefined || undefined}
        aria-describedby={`${path}-problem`}
        placeholder={examples?.[0]}
        value={row.name}
        disabled={disabled}
        onChange={(event) => onChange(renameRow(row, event.target.value))}
        onBlur={() => onTouch?.(path)}
        onKeyDown={onKeyDown}
        onPaste={(event) => onPaste(event, true)}
      />
      <div className="row-start-2 min-w-0 @lg:row-start-auto">
        <ValueCell
          {...props}
          called={called}
          isInvalid={otherProblems.some((text) => text !== undefined)}
          onKeyDown={onKeyDown}
          onPaste={(event) => onPaste(event, false)}
        />
      </div>
      <span className="row-span-2 row-start-1 flex items-center gap-1 max-@lg:col-start-2 max-@lg:flex-col @lg:row-span-1 @lg:row-start-auto">
        <KindControl {...props} called={called} />
        {disabled !== true && (
          <IconButton label={`Remove ${called}`} onClick={onRemove} className="hover:text-bad">
            <Trash2 aria-hidden />
          </IconButton>
        )}
      </span>
      <p id={`${path}-problem`} className={cn('col-span-full text-sm text-bad', problemText === undefined && 'hidden')}>
        {problemText}
      </p>
    </li>
  )
}

type CellProps = KeyValueRowProps & {
  readonly called: string
  readonly isInvalid: boolean
  readonly onKeyDown: (event: KeyboardEvent) => void
  readonly onPaste: (event: ClipboardEvent) => void
}

function ValueCell({
  path,
  row,
  called,
  isInvalid,
  onChange,
  onKeyDown,
  onPaste,
  onTouch,
  examples,
  disabled,
}: CellProps) {
  const value = row.value ?? ''
  const references = secretNamesIn(value)
  const attributes = {
    id: `${path}.value`,
    'aria-label': `Value of ${called}`,
    'aria-invalid': isInvalid || undefined,
    'aria-describedby': `${path}-problem`,
    placeholder: row.secret ? undefined : examples?.[1],
    disabled,
    onBlur: () => onTouch?.(path),
    onKeyDown,
    onPaste,
  }
  const change = (next: string) => onChange({ ...row, value: next })
  if (row.personal === true)
    return <p className="flex h-8.5 items-center text-sm text-ink-3">Each person gives their own.</p>
  if (value.includes('\n'))
    return (
      <TextArea
        {...attributes}
        mono
        rows={3}
        className={cn(row.secret && '[-webkit-text-security:disc]')}
        value={value}
        onChange={(event) => change(event.target.value)}
      />
    )
  if (row.secret && references.length === 0)
    return (
      <SecretInput
        {...attributes}
        label={called}
        value={row.value}
        isStored={row.stored === true}
        storedAt={row.changedAt}
        onChange={(next) => onChange({ ...row, value: next })}
      />
    )
  return (
    <>
      <Input {...attributes} mono value={value} onChange={(event) => change(event.target.value)} />
      {references.length > 0 && (
        <span className="mt-1 flex items-center gap-1 text-sm text-ink-3">
          <Lock className="size-3.5 text-ok" aria-hidden />
          Takes the stored secret {references.join(', ')}.
        </span>
      )}
    </>
  )
}

/** Plain or secret, and where it is possible: personal. */
function KindControl({ row, called, canBePersonal, onChange, disabled }: KeyValueRowProps & { called: string }) {
  if (canBePersonal) {
    const kind = row.personal === true ? 'personal' : row.secret ? 'secret' : 'plain'
    return (
      <Select
        aria-label={`Kind of ${called}`}
        value={kind}
        disabled={disabled}
        className="w-24 text-sm"
        onChange={({ target }) => onChange(ofKind(row, target.value))}
      >
        <option value="plain" disabled={row.stored === true}>
          plain
        </option>
        <option value="secret">secret</option>
        <option value="personal">personal</option>
      </Select>
    )
  }
  return (
    <button
      type="button"
      role="switch"
      aria-checked={row.secret}
      aria-label={`${called} is secret`}
      title={row.secret ? 'Stored encrypted, never shown again' : 'Shown to everybody who may see this page'}
      // What is stored as a secret could be read by declaring it plain.
      disabled={disabled === true || row.stored === true}
      onClick={() => onChange({ ...row, secret: !row.secret })}
      className="flex h-8.5 items-center gap-1 rounded-md px-1 text-sm text-ink-2 hover:text-ink disabled:opacity-70 @lg:w-18 pointer-coarse:h-11"
    >
      {row.secret ? <Lock className="size-3.5" aria-hidden /> : <LockOpen className="size-3.5" aria-hidden />}
      <span className="max-@lg:sr-only">{row.secret ? 'secret' : 'plain'}</span>
    </button>
  )
}

function ofKind({ name, value, stored }: ValueRow, kind: string): ValueRow {
  if (kind === 'personal') return { name, secret: true, personal: true }
  return {
    name,
    value: stored === true ? value : (value ?? ''),
    secret: kind === 'secret',
    ...(stored === true && { stored }),
  }
}

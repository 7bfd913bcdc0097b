import { Check, Copy, Eye, EyeOff, Lock, Undo2 } from 'lucide-react'
import { useLayoutEffect, useRef, useState, type ComponentProps } from 'react'
import { Button, IconButton } from '../button.tsx'
import { cn } from '../cn.ts'
import { formatAgo } from '../format.ts'

type SecretInputProps = Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'type'> & {
  /** Names it for its buttons: 'API_KEY'. */
  readonly label: string
  /** What was typed; undefined = nothing was, so that what is stored stays. */
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
  readonly isStored: boolean
  /** When what is stored last changed, where that is known. */
  readonly storedAt?: string | undefined
}

/**
 * A value that is written and never read back. What is stored is a box that says so, not characters that stand for it;
 * what was just typed can be looked at and copied until it is saved.
 */
export function SecretInput({ label, value, onChange, isStored, storedAt, className, ...rest }: SecretInputProps) {
  const isTurned = useRef(false)
  // The button that was pressed is gone; who uses keys goes on in what took its place.
  useLayoutEffect(() => {
    if (isTurned.current) document.getElementById(rest.id ?? '')?.focus()
    isTurned.current = false
  })
  const turn = (next: string | undefined) => {
    isTurned.current = true
    onChange(next)
  }
  if (isStored && value === undefined)
    return <StoredBox id={rest.id} label={label} at={storedAt} onReplace={() => turn('')} className={className} />
  return (
    <span className={cn('field-box flex min-w-0 items-center', className)} data-invalid={rest['aria-invalid'] === true}>
      <FreshSecret
        {...rest}
        label={label}
        value={value ?? ''}
        onChange={onChange}
        placeholder={isStored ? 'New value' : rest.placeholder}
      />
      {isStored && (
        <IconButton className="shrink-0" label={`Undo: keep the stored ${label}`} onClick={() => turn(undefined)}>
          <Undo2 aria-hidden />
        </IconButton>
      )}
    </span>
  )
}

/** Says that a secret is stored, and lets it be replaced. */
function StoredBox({
  id,
  label,
  at,
  onReplace,
  className,
}: {
  id: string | undefined
  label: string
  at: string | undefined
  onReplace: () => void
  className: string | undefined
}) {
  return (
    <span
      className={cn(
        'flex h-8.5 min-w-0 items-center gap-2 rounded-md border border-dashed border-line-strong bg-well pr-1 pl-2.5 text-sm text-ink-2 pointer-coarse:h-11',
        className,
      )}
    >
      <Lock className="size-3.5 shrink-0 text-ok" aria-hidden />
      <span className="mr-auto flex min-w-0 gap-1.5" title={at}>
        <span>Stored</span>
        {at !== undefined && <span className="truncate text-ink-3">{formatAgo(at)}</span>}
      </span>
      <Button
        id={id}
        size="sm"
        variant="ghost"
        className="h-6 px-2 text-accent-text"
        aria-label={`Replace ${label}`}
        onClick={onReplace}
      >
        Replace
      </Button>
    </span>
  )
}

type FreshProps = Omit<ComponentProps<'input'>, 'value' | 'onChange'> & {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

function FreshSecret({ label, value, onChange, ...rest }: FreshProps) {
  const [isShown, setShown] = useState(false)
  const [isCopied, setCopied] = useState(false)
  async function copy() {
    try {
      await navigator.clipboard.writeText(value)
      setCopied(true)
    } catch {
      // Browsers give no clipboard to a page that is not on loopback or https: then it can be read and copied by hand.
      setShown(true)
    }
  }
  return (
    <>
      <input
        type={isShown ? 'text' : 'password'}
        // What a password manager would fill in here belongs to another site.
        autoComplete="new-password"
        spellCheck={false}
        {...rest}
        value={value}
        onChange={(event) => {
          setCopied(false)
          onChange(event.target.value)
        }}
        className="h-8 w-full min-w-0 rounded-md bg-transparent px-2.5 font-mono text-sm text-ink outline-none placeholder:font-sans placeholder:text-ink-3 pointer-coarse:h-11 pointer-coarse:text-lg"
      />
      {value !== '' && (
        <>
          <IconButton
            className="shrink-0"
            label={isCopied ? `Copied ${label}` : `Copy ${label} once, before it is stored`}
            onClick={() => void copy()}
          >
            {isCopied ? <Check className="text-ok" aria-hidden /> : <Copy aria-hidden />}
          </IconButton>
          <IconButton
            className="shrink-0"
            label={isShown ? `Hide ${label}` : `Show ${label}`}
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
          </IconButton>
        </>
      )}
    </>
  )
}

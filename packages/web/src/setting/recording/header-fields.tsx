import { LockKeyhole, Plus, Trash2 } from 'lucide-react'
import { Button, IconButton } from '../../ui/button.tsx'
import { Input } from '../../ui/form/field.tsx'
import { SecretInput } from '../../ui/form/secret-input.tsx'

export interface HeaderDraft {
  readonly name: string
  readonly value: string
}

interface HeaderFieldsProps {
  /** Names of those that are stored. */
  readonly stored: readonly string[]
  /** null = the stored ones stay. */
  readonly headers: readonly HeaderDraft[] | null
  readonly onChange: (headers: readonly HeaderDraft[] | null) => void
  readonly problem: (path: string) => string | undefined
}

/** Headers whose values are secrets: stored ones are told by name, and replaced as a whole. */
export function HeaderFields({ stored, headers, onChange, problem }: HeaderFieldsProps) {
  const names = stored.join(', ')
  if (headers === null)
    return (
      <div className="grid gap-1">
        <span className="text-sm font-medium">Headers</span>
        <div className="flex flex-wrap items-center gap-2 rounded-md border border-dashed border-line-strong bg-well px-2.5 py-1 text-sm">
          <LockKeyhole className="size-4 text-ok" aria-hidden />
          <span className="mr-auto">Stored: {names}</span>
          <Button size="sm" variant="ghost" onClick={() => onChange([{ name: '', value: '' }])}>
            Replace
          </Button>
        </div>
      </div>
    )
  const set = (index: number, part: Partial<HeaderDraft>) =>
    onChange(headers.map((header, at) => (at === index ? { ...header, ...part } : header)))
  const error = headers.map(({ name }) => problem(`otlp.headers.${name}`)).find((each) => each !== undefined)
  return (
    <fieldset id="otlp.headers" tabIndex={-1} className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <legend className="mb-1 text-sm font-medium">
        Headers <span className="font-normal text-ink-3">optional</span>
      </legend>
      {headers.map(({ name, value }, index) => (
        <div key={index} className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] gap-2">
          <Input
            mono
            aria-label={`Name of header ${index + 1}`}
            placeholder="authorization"
            value={name}
            onChange={(event) => set(index, { name: event.target.value.trim() })}
          />
          <SecretInput
            aria-label={`Value of header ${index + 1}`}
            label={`header ${index + 1}`}
            isStored={false}
            value={value}
            onChange={(secret) => set(index, { value: secret ?? '' })}
          />
          <IconButton
            label={`Remove header ${index + 1}`}
            onClick={() => onChange(headers.filter((_, at) => at !== index))}
          >
            <Trash2 aria-hidden />
          </IconButton>
        </div>
      ))}
      {error !== undefined && <p className="text-sm text-bad">{error}</p>}
      <div className="flex flex-wrap items-center gap-2 text-sm text-ink-3">
        <Button size="sm" onClick={() => onChange([...headers, { name: '', value: '' }])}>
          <Plus aria-hidden /> Add header
        </Button>
        {stored.length > 0 && (
          <Button size="sm" variant="ghost" onClick={() => onChange(null)}>
            Undo: keep {names}
          </Button>
        )}
        Values are stored encrypted and never shown again.
      </div>
    </fieldset>
  )
}

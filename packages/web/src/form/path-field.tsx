import { FolderOpen } from 'lucide-react'
import { useState, type ComponentProps } from 'react'
import { Button } from '../ui/button.tsx'
import { Input } from '../ui/form/field.tsx'
import { PathPicker } from './path-picker.tsx'

type PathFieldProps = Omit<ComponentProps<typeof Input>, 'value' | 'onChange'> & {
  readonly value: string
  readonly onChange: (path: string) => void
  /** What is chosen. */
  readonly kind: 'folder' | 'file'
  /** Names what is chosen in the dialog: 'the working directory'. */
  readonly label: string
  /** Whether the one who looks may see the folders of the hub's machine. */
  readonly canBrowse: boolean
}

/** A path on the machine of the hub, typed or picked. */
export function PathField({ value, onChange, kind, label, canBrowse, ...rest }: PathFieldProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="flex min-w-0 gap-2">
      <div className="min-w-0 flex-1">
        <Input mono {...rest} value={value} onChange={(event) => onChange(event.target.value)} />
      </div>
      {canBrowse && (
        <Button className="h-8.5 pointer-coarse:h-11" onClick={() => setOpen(true)}>
          <FolderOpen aria-hidden />
          <span className="max-sm:sr-only">Browse…</span>
          <span className="sr-only">for {label}</span>
        </Button>
      )}
      {isOpen && (
        <PathPicker
          kind={kind}
          label={label}
          start={value.startsWith('/') || value.startsWith('~') ? value : ''}
          onClose={() => setOpen(false)}
          onPick={(path) => {
            onChange(path)
            setOpen(false)
          }}
        />
      )}
    </div>
  )
}

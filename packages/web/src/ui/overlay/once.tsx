import type { ReactNode } from 'react'
import { Button } from '../button.tsx'
import { CodeBox } from '../code-box.tsx'
import { Dialog } from './dialog.tsx'

interface OnceProps {
  readonly title: string
  /** Names the value for the copy button: 'the key'. */
  readonly label: string
  readonly value: string
  readonly onClose: () => void
  /** What to do with it. */
  readonly children: ReactNode
}

/** A value that is shown this one time. It is gone from the page when this is closed. */
export function Once({ title, label, value, onClose, children }: OnceProps) {
  const footer = (
    <Button variant="primary" onClick={onClose}>
      I have copied it
    </Button>
  )
  return (
    <Dialog isOpen title={title} hint="Copy it now. It is not shown again." footer={footer} onClose={onClose}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
        <CodeBox text={value} label={label} />
        <div className="grid gap-2 text-ink-2">{children}</div>
      </div>
    </Dialog>
  )
}

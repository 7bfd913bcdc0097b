import { X } from 'lucide-react'
import { useEffect, useId, useRef, type MouseEvent, type ReactNode } from 'react'
import { Button, IconButton } from '../button.tsx'
import { cn } from '../cn.ts'

interface ModalProps {
  readonly onClose: () => void
  readonly className?: string
  readonly children: ReactNode
  /** The id of the heading that names it, or its name itself. */
  readonly labelledBy?: string
  readonly label?: string
}

/**
 * Holds the page until it is closed: the browser's own dialog, which keeps the focus inside, is left with Escape or by a
 * click beside it, and gives the focus back. It is open as long as it is rendered.
 */
export function Modal({ onClose, className, children, labelledBy, label }: ModalProps) {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = element.current
    if (dialog === null) return
    if (!dialog.open) dialog.showModal()
    return () => dialog.close()
  }, [])
  const closeBeside = (event: MouseEvent) => event.target === element.current && onClose()
  return (
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={element}
      aria-labelledby={labelledBy}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onMouseDown={closeBeside}
      className={cn('m-0 max-h-none max-w-none bg-transparent text-ink backdrop:bg-black/40', className)}
    >
      {children}
    </dialog>
  )
}

interface DialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly title: ReactNode
  readonly hint?: ReactNode
  readonly children: ReactNode
  /** Buttons at the bottom, which stay in sight. */
  readonly footer?: ReactNode
  /** drawer = from the right, as high as the page. */
  readonly shape?: 'box' | 'drawer'
  readonly className?: string
}

const shapes = {
  box: 'top-1/2 left-1/2 max-h-[calc(100dvh-24px)] w-[min(560px,calc(100vw-24px))] -translate-x-1/2 -translate-y-1/2 rounded-lg border',
  drawer: 'top-0 right-0 left-auto h-dvh w-[min(720px,100vw)] border-l',
}

/** Something that has to be done or left before the page goes on. */
export function Dialog({ isOpen, onClose, title, hint, children, footer, shape = 'box', className }: DialogProps) {
  const id = useId()
  if (!isOpen) return null
  return (
    <Modal
      onClose={onClose}
      labelledBy={id}
      className={cn(
        'fixed flex-col overflow-hidden border-line bg-surface shadow-pop open:flex',
        shapes[shape],
        className,
      )}
    >
      <div className="flex items-start gap-2 border-b border-line px-4 py-3">
        <div className="mr-auto min-w-0">
          <h2 id={id} className="text-lg font-semibold [overflow-wrap:anywhere]">
            {title}
          </h2>
          {hint !== undefined && <p className="text-sm text-ink-2">{hint}</p>}
        </div>
        <IconButton label="Close" onClick={onClose}>
          <X aria-hidden />
        </IconButton>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
      {footer !== undefined && (
        <div className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-4 py-3">{footer}</div>
      )}
    </Modal>
  )
}

interface ConfirmProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onConfirm: () => void
  readonly title: string
  /** What will be gone or changed, and what stays. */
  readonly children: ReactNode
  /** What the button does: 'Delete connector'. */
  readonly action: string
  readonly pending?: boolean
}

/** Asks before something that cannot be taken back. */
export function Confirm({ isOpen, onClose, onConfirm, title, children, action, pending }: ConfirmProps) {
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button variant="danger" pending={pending} onClick={onConfirm}>
        {action}
      </Button>
    </>
  )
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} footer={footer}>
      <div className="grid gap-2 p-4 text-ink-2">{children}</div>
    </Dialog>
  )
}

import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'
import { Failure } from '../ui/page/page-state.tsx'
import type { Form } from './use-form.ts'

interface FormDialogProps<Draft, Output> {
  readonly title: string
  readonly hint?: ReactNode
  /** What the button does: 'Add user'. */
  readonly action: string
  readonly form: Form<Draft, Output>
  readonly save: (output: Output) => Promise<unknown>
  readonly onClose: () => void
  readonly shape?: 'box' | 'drawer'
  readonly children: ReactNode
}

/** A form that holds the page until it is saved or left. What was entered is not lost by a slip. */
export function FormDialog<Draft, Output>(props: FormDialogProps<Draft, Output>) {
  const { title, hint, action, form, save, onClose, shape, children } = props
  const [isSaving, setSaving] = useState(false)
  const [problem, setProblem] = useState<unknown>(null)
  const [asksToDiscard, setAsksToDiscard] = useState(false)
  const element = useRef<HTMLFormElement>(null)
  // The browser would begin with the button that closes.
  useEffect(() => element.current?.querySelector<HTMLElement>('input, select, textarea')?.focus(), [])

  async function submit(event: FormEvent) {
    event.preventDefault()
    const output = form.submit()
    if (output === null || isSaving) return
    setSaving(true)
    setProblem(null)
    try {
      await save(output)
      onClose()
    } catch (error) {
      if (!form.refuse(error)) setProblem(error)
    } finally {
      setSaving(false)
    }
  }

  const footer = asksToDiscard ? (
    <>
      <span className="mr-auto text-ink-2">Discard what you entered?</span>
      <Button onClick={() => setAsksToDiscard(false)}>Keep</Button>
      <Button variant="danger" onClick={onClose}>
        Discard
      </Button>
    </>
  ) : (
    <>
      {form.problemCount > 0 && (
        <output className="mr-auto text-sm text-bad">
          {form.problemCount === 1 ? '1 field needs a look' : `${form.problemCount} fields need a look`}
        </output>
      )}
      <Button onClick={onClose}>Cancel</Button>
      <Button variant="primary" type="submit" form="dialog-form" pending={isSaving}>
        {action}
      </Button>
    </>
  )
  return (
    <Dialog
      isOpen
      title={title}
      {...(hint === undefined ? {} : { hint })}
      {...(shape === undefined ? {} : { shape })}
      footer={footer}
      onClose={() => (form.isDirty && !asksToDiscard ? setAsksToDiscard(true) : onClose())}
    >
      <form
        ref={element}
        id="dialog-form"
        noValidate
        onChange={() => setProblem(null)}
        onSubmit={(event) => void submit(event)}
        className="grid grid-cols-[minmax(0,1fr)] gap-4 p-4"
      >
        {children}
        {problem !== null && <Failure title="It was not saved." error={problem} />}
      </form>
    </Dialog>
  )
}

import { createContext, useContext, useEffect, useState, type FormEvent, type ReactNode } from 'react'
import { useMay } from '../api/me.ts'
import type { Form } from '../form/use-form.ts'
import { Button } from '../ui/button.tsx'
import { announce } from '../ui/overlay/toasts.tsx'
import { Failure } from '../ui/page/page-state.tsx'

interface SettingFormProps<Draft, Output> {
  /** Id of its section. */
  readonly id: string
  readonly form: Form<Draft, Output>
  /** Sends it, and gives what was saved to the form. */
  readonly save: (output: Output) => Promise<void>
  /** What it was before. */
  readonly saved: Draft
  /** Who may change it. */
  readonly changedBy?: 'admin' | 'owner'
  readonly children: ReactNode
}

/** The form of a section, saved by itself. Who may not change it sees it still. */
export function SettingForm<Draft, Output>({
  id,
  form,
  save,
  saved,
  changedBy = 'admin',
  children,
}: SettingFormProps<Draft, Output>) {
  const mayChange = useMay(changedBy)
  const tell = useContext(DirtySections)
  const [isSaving, setSaving] = useState(false)
  const [problem, setProblem] = useState<unknown>(null)
  useEffect(() => {
    tell(id, form.isDirty)
    return () => tell(id, false)
  }, [tell, id, form.isDirty])

  async function submit(event: FormEvent) {
    event.preventDefault()
    const output = form.submit()
    if (output === null || isSaving) return
    setSaving(true)
    setProblem(null)
    try {
      await save(output)
      announce('Saved.')
    } catch (error) {
      if (!form.refuse(error)) setProblem(error)
    } finally {
      setSaving(false)
    }
  }

  return (
    <form noValidate data-dirty={form.isDirty} onSubmit={(event) => void submit(event)}>
      <fieldset disabled={!mayChange} className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4 p-4">
        {children}
      </fieldset>
      {problem !== null && (
        <div className="px-4 pb-4">
          <Failure title="It was not saved." error={problem} />
        </div>
      )}
      <div className="flex min-h-13 flex-wrap items-center gap-2 border-t border-line px-4 py-2">
        <output className="mr-auto text-sm text-ink-3">
          {mayChange ? describeState(form) : `Only an ${changedBy} can change this.`}
        </output>
        {mayChange && form.isDirty && (
          <Button variant="ghost" onClick={() => form.reset(saved)}>
            Discard
          </Button>
        )}
        {mayChange && (
          <Button type="submit" variant={form.isDirty ? 'primary' : 'outline'} pending={isSaving}>
            Save
          </Button>
        )}
      </div>
    </form>
  )
}

function describeState({ problemCount, isDirty }: { problemCount: number; isDirty: boolean }): ReactNode {
  if (problemCount > 0)
    return (
      <span className="text-bad">
        {problemCount === 1 ? '1 field needs a look' : `${problemCount} fields need a look`}
      </span>
    )
  return isDirty ? <span className="text-warn">Not saved yet</span> : 'All changes saved'
}

/** Where a section says whether it has changes that were not saved. */
export const DirtySections = createContext<(id: string, isDirty: boolean) => void>(() => {})

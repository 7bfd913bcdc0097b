import type { CompositeView } from '@herma/contract'
import { ArrowLeft, Trash2 } from 'lucide-react'
import { useCallback, useState } from 'react'
import { api } from '../../api/client.ts'
import { useMay } from '../../api/me.ts'
import { queryClient } from '../../api/query-client.ts'
import { useForm } from '../../form/use-form.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/overlay/dialog.tsx'
import { LeaveGuard } from '../../ui/overlay/leave-guard.tsx'
import { announce } from '../../ui/overlay/toasts.tsx'
import { ActionBar } from '../../ui/page/action-bar.tsx'
import { Failure } from '../../ui/page/page-state.tsx'
import { useShortcuts } from '../../ui/page/shortcuts.ts'
import { Tabs } from '../../ui/tabs.tsx'
import { useCatalogSearch } from '../catalog-search.ts'
import { readJson } from '../read-json.ts'
import { AggregateFields } from './aggregate-fields.tsx'
import { CompositeBasics } from './composite-basics.tsx'
import { CompositeForm, toDraft, type CompositeDraft, type CompositeKind, type Definition } from './composite-draft.ts'
import { CompositeJson } from './composite-json.tsx'
import { DryRun } from './dry-run.tsx'
import { PipelineFields } from './pipeline-fields.tsx'

interface EditorProps {
  readonly kind: CompositeKind
  readonly initial: CompositeDraft
  /** Null while it is new. */
  readonly saved: CompositeView | null
  readonly onClose: () => void
}

/** An aggregate or a pipeline as a form and as JSON, side by side, with a run that calls nothing. */
export function CompositeEditor({ kind, initial, saved, onClose }: EditorProps) {
  const mayChange = useMay('admin') && (saved === null || saved.isEditable)
  const [, changeSearch] = useCatalogSearch()
  const [state, setState] = useState<'editing' | 'saving' | 'removing'>('editing')
  const [asksToRemove, setAsksToRemove] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [wasTried, setTried] = useState(false)
  const toInput = useCallback(({ definition }: CompositeDraft) => ({ kind, definition }), [kind])
  const form = useForm({ initial, schema: CompositeForm, toInput })
  const { definition, text } = form.draft
  const change = (next: Definition) => form.change(toDraft(next))
  const textProblem = 'problem' in readJson(text)

  async function act(next: 'saving' | 'removing', run: () => Promise<void>) {
    setState(next)
    setError(null)
    try {
      await run()
    } catch (problem) {
      if (!form.refuse(problem)) setError(problem)
    } finally {
      setState('editing')
      await queryClient.invalidateQueries({ queryKey: ['catalog'] })
    }
  }
  async function save() {
    setTried(true)
    if (textProblem) return document.getElementById('definition')?.focus()
    const input = form.submit()
    if (input === null || state !== 'editing') return
    await act('saving', async () => {
      const view = await api.saveComposite({ name: saved?.name ?? input.definition.name, body: input })
      announce(`Saved ${view.name}.`, 'Clients see it at once.')
      form.reset(toDraft(view.definition))
      await queryClient.invalidateQueries({ queryKey: ['catalog', 'composites'] })
      changeSearch({ composite: view.name }, { replace: true, isSure: true })
    })
  }
  const remove = () =>
    act('removing', async () => {
      await api.removeComposite({ name: saved!.name })
      announce(`Removed ${saved!.name}.`)
      changeSearch({ composite: undefined }, { isSure: true })
    })
  useShortcuts({ 'mod+s': () => void save() }, mayChange)

  const parts = { definition, change, form }
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Button size="sm" variant="ghost" onClick={onClose}>
          <ArrowLeft aria-hidden />
          All composites
        </Button>
        <h2 className="text-lg font-semibold">
          {saved === null ? `New ${kind}` : <span className="font-mono">{saved.name}</span>}
        </h2>
        {saved !== null && <span className="text-sm text-ink-3">in {saved.file}</span>}
        {mayChange && saved !== null && (
          <Button size="sm" variant="danger" className="ml-auto" onClick={() => setAsksToRemove(true)}>
            <Trash2 aria-hidden />
            Remove
          </Button>
        )}
      </div>
      {saved !== null && !saved.isEditable && (
        <p className="rounded-md bg-well px-3 py-2 text-ink-2">
          This one belongs to {saved.file}. Change it there; what you try here is not saved.
        </p>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,1fr)_400px]">
        <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-6">
          <CompositeBasics kind={kind} {...parts} />
          {kind === 'aggregate' ? <AggregateFields {...parts} /> : <PipelineFields {...parts} />}
        </div>
        <div className="rounded-lg border border-line bg-surface shadow-card lg:sticky lg:top-16">
          <Tabs
            label="Try and see"
            tabs={[
              { id: 'dry', label: 'Dry run', body: <DryRun kind={kind} definition={definition} /> },
              {
                id: 'json',
                label: textProblem ? 'JSON, not readable' : 'JSON',
                body: <CompositeJson kind={kind} form={form} showsProblems={wasTried} />,
              },
            ]}
          />
        </div>
      </div>
      {mayChange && (
        <ActionBar
          status={statusOf(form, textProblem)}
          problem={error !== null && <Failure title="It was not changed." error={error} />}
        >
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" pending={state === 'saving'} onClick={() => void save()}>
            Save
          </Button>
        </ActionBar>
      )}
      <LeaveGuard isDirty={form.isDirty && mayChange} guards="address" />
      <Confirm
        isOpen={asksToRemove}
        title={`Remove ${saved?.name ?? 'it'}?`}
        action="Remove"
        pending={state === 'removing'}
        onClose={() => setAsksToRemove(false)}
        onConfirm={() => void remove()}
      >
        <p>Clients that use it get an error from now on. The tools that it calls stay.</p>
      </Confirm>
    </>
  )
}

function statusOf({ problemCount, isDirty }: { problemCount: number; isDirty: boolean }, textProblem: boolean): string {
  if (textProblem) return 'The JSON cannot be read'
  if (problemCount > 0) return problemCount === 1 ? '1 field needs a look' : `${problemCount} fields need a look`
  return isDirty ? 'Not saved yet' : ''
}

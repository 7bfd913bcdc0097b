import { BindingInput, effectiveValues, type BindingView, type ConnectorView, type SessionView } from '@herma/contract'
import { useCallback, useMemo, useState } from 'react'
import { api } from '../api/client.ts'
import { useMay } from '../api/me.ts'
import { useChange } from '../api/use-change.ts'
import { useForm } from '../form/use-form.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'
import { LeaveGuard } from '../ui/overlay/leave-guard.tsx'
import { Failure } from '../ui/page/page-state.tsx'
import { useShortcuts } from '../ui/page/shortcuts.ts'
import { toDraft, toInput, toOverrides, type BindingDraft } from './binding-draft.ts'
import { countOverrides } from './describe-binding.ts'
import { EffectiveTable } from './effective-table.tsx'
import { OverrideFields } from './override-fields.tsx'

interface BindingDrawerProps {
  readonly session: SessionView
  readonly connector: ConnectorView
  /** Undefined while it is not attached. */
  readonly binding: BindingView | undefined
  readonly onClose: () => void
}

/** What a change of a binding may concern. */
const topics = ['bindings', 'sessions', 'connectors']

/** One cell of the matrix: attach, turn off, what differs, and beside it what is in effect and who said so. */
export function BindingDrawer({ session, connector, binding, onClose }: BindingDrawerProps) {
  const mayChange = useMay('admin')
  const place = useMemo(() => ({ session: session.name, connector: connector.name }), [session.name, connector.name])
  const initial = useMemo(() => toDraft(binding), [binding])
  const toBody = useCallback((draft: BindingDraft) => toInput(place, draft), [place])
  const form = useForm({ initial, schema: BindingInput, toInput: toBody })
  const [asked, setAsked] = useState<'discard' | 'detach' | null>(null)
  const save = useChange({
    topics,
    send: (body: BindingInput) => api.putBinding({ body }),
    done: () => (binding === undefined ? `${place.connector} is attached to ${place.session}` : 'The binding is saved'),
    onDone: (view) => form.reset(toDraft(view)),
  })
  const detach = useChange({
    topics,
    send: () => api.removeBinding({ name: place.session, connector: place.connector }),
    done: () => `${place.connector} is detached from ${place.session}`,
    onDone: onClose,
  })
  const submit = () => {
    if (form.submit() === null || save.isPending) return
    save.mutate(toBody(form.draft), { onError: (error) => form.refuse(error) })
  }
  const effective = effectiveValues(connector, session, toOverrides(form.draft))

  const askToDetach = () =>
    binding !== undefined && countOverrides(binding) > 0 ? setAsked('detach') : detach.mutate()
  const shortcuts = useMemo(() => ({ 'mod+s': () => document.getElementById('save-binding')?.click() }), [])
  useShortcuts(shortcuts)

  const footer =
    asked !== null ? (
      <>
        <span className="mr-auto text-ink-2">
          {asked === 'discard' ? 'Discard what you changed?' : 'Its overrides are gone then.'}
        </span>
        <Button onClick={() => setAsked(null)}>Keep</Button>
        <Button
          variant="danger"
          pending={detach.isPending}
          onClick={() => (asked === 'discard' ? onClose() : detach.mutate())}
        >
          {asked === 'discard' ? 'Discard' : 'Detach'}
        </Button>
      </>
    ) : (
      <>
        <output className="mr-auto text-sm text-ink-2">
          {describeState(form.problemCount, form.isDirty, binding)}
        </output>
        {binding !== undefined && mayChange && (
          <Button variant="danger" pending={detach.isPending} onClick={askToDetach}>
            Detach
          </Button>
        )}
        {mayChange && (
          <Button id="save-binding" variant="primary" pending={save.isPending} onClick={submit}>
            {binding === undefined ? 'Attach' : 'Save'}
          </Button>
        )}
      </>
    )
  return (
    <Dialog
      isOpen
      shape="drawer"
      className="w-[min(1040px,100vw)]"
      title={`${connector.name} for ${session.name}`}
      hint={connector.description || undefined}
      footer={footer}
      onClose={() => (form.isDirty && asked !== 'discard' ? setAsked('discard') : onClose())}
    >
      <LeaveGuard isDirty={form.isDirty} guards="address" />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6 p-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,26rem)]">
        <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-5">
          {binding?.problem != null && <Failure title="It cannot be used now." error={new Error(binding.problem)} />}
          {save.error !== null && <Failure title="It was not saved." error={save.error} />}
          {detach.error !== null && <Failure title="It was not detached." error={detach.error} />}
          <OverrideFields form={form} connector={connector} mayChange={mayChange} />
        </div>
        <EffectiveTable
          now={effective}
          saved={binding?.effective ?? null}
          hasOwn={binding?.hasOwnDownstream ?? false}
        />
      </div>
    </Dialog>
  )
}

function describeState(problems: number, isDirty: boolean, binding: BindingView | undefined): string {
  if (problems > 0) return problems === 1 ? '1 field needs a look' : `${problems} fields need a look`
  if (binding === undefined) return 'Not attached'
  return isDirty ? 'Not saved yet' : 'Saved'
}

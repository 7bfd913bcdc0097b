import { InstallRequest, type DiscoveryNeed, type DiscoveryPlan, type InstallSource } from '@herma/contract'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState, type FormEvent, type ReactNode } from 'react'
import { api } from '../../api/client.ts'
import { useMay } from '../../api/me.ts'
import { useChange } from '../../api/use-change.ts'
import { emptyIsolation, toIsolation, type IsolationDraft } from '../../connector/form/draft/isolation-draft.ts'
import { IsolationFields } from '../../connector/form/isolation-fields.tsx'
import { useForm } from '../../form/use-form.ts'
import { Button } from '../../ui/button.tsx'
import { Check } from '../../ui/form/check.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { Failure } from '../../ui/page/page-state.tsx'
import { NeedFields } from './need-fields.tsx'
import { NeedSecrets } from './need-secrets.tsx'
import { PlanView } from './plan-view.tsx'
import { ReportView } from './report-view.tsx'

interface InstallDrawerProps {
  readonly title: string
  readonly hint?: ReactNode
  readonly source: InstallSource
  /** Of a registry entry: the chosen way to get it. */
  readonly option?: string
  readonly needs: readonly DiscoveryNeed[]
  /** False when there is nothing here that can be installed. */
  readonly canInstall: boolean
  /** Whether the connector can be given a name. */
  readonly hasName: boolean
  /** What is started on the machine of the hub, as far as it is known; null where nothing is. */
  readonly program: string | null
  readonly onClose: () => void
  /** What is known of it, above what it needs. */
  readonly children?: ReactNode
}

interface Draft {
  readonly name: string
  readonly values: Record<string, string>
  readonly isolation: IsolationDraft
}

const empty: Draft = { name: '', values: {}, isolation: emptyIsolation }
const patienceMs = 120_000

/** From what something needs, over the plan, to how the install went. */
export function InstallDrawer(props: InstallDrawerProps) {
  const { title, hint, source, option, needs, canInstall, hasName, program, onClose, children } = props
  const mayInstall = useMay('admin') && canInstall
  const [isForced, setForced] = useState(false)
  const [asksToDiscard, setAsksToDiscard] = useState(false)
  const schema = useMemo(() => withNeeds(needs), [needs])
  const isStarted = program !== null
  const toInput = useMemo(() => toRequest({ source, option, needs, isStarted }), [source, option, needs, isStarted])
  const form = useForm({ initial: empty, schema, toInput })
  const { draft, change, problem, touch } = form
  const plan = useMutation({
    mutationFn: (body: InstallRequest) => api.planInstall({ body }, { timeoutMs: patienceMs }),
  })
  const install = useChange({
    send: (body: InstallRequest) => api.install({ body }, { timeoutMs: patienceMs }),
    topics: ['connectors', 'catalog', 'secrets', 'servers', 'discovery'],
  })
  const top = useRef<HTMLDivElement>(null)
  const stage = install.data !== undefined ? 'report' : plan.data !== undefined ? 'plan' : 'form'
  // The new stage is read from its begin.
  useEffect(() => {
    if (stage !== 'form') top.current?.focus()
  }, [stage])

  function showPlan(event: FormEvent) {
    event.preventDefault()
    const request = form.submit()
    if (request !== null) plan.mutate({ ...request, force: isForced })
  }
  function runPlan() {
    const request = form.submit()
    if (request === null || plan.data === undefined) return
    if (plan.data.isReady) install.mutate({ ...request, force: isForced })
    else top.current?.focus()
  }
  function force(next: boolean) {
    const request = form.submit()
    setForced(next)
    if (request !== null) plan.mutate({ ...request, force: next })
  }

  const footers = {
    discard: (
      <>
        <span className="mr-auto text-ink-2">Discard what you entered?</span>
        <Button onClick={() => setAsksToDiscard(false)}>Keep</Button>
        <Button variant="danger" onClick={onClose}>
          Discard
        </Button>
      </>
    ),
    form: (
      <>
        <Button onClick={onClose}>Cancel</Button>
        {mayInstall && (
          <Button variant="primary" type="submit" form="install" pending={plan.isPending}>
            Show plan
          </Button>
        )}
      </>
    ),
    plan: (
      <>
        {plan.data?.isReady === false && (
          <span className="mr-auto text-bad">Something stands in the way, see above.</span>
        )}
        <Button onClick={() => plan.reset()}>Back</Button>
        <Button variant="primary" pending={install.isPending} onClick={runPlan}>
          Install
        </Button>
      </>
    ),
    report: (
      <>
        {/* What was entered is still there, to be mended. */}
        {install.data?.status === 'failed' && <Button onClick={() => install.reset()}>Back</Button>}
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </>
    ),
  }
  const heads = { form: title, plan: `What will be done for ${title}`, report: title }
  return (
    <Dialog
      isOpen
      shape="drawer"
      title={heads[stage]}
      {...(hint === undefined ? {} : { hint })}
      footer={footers[asksToDiscard ? 'discard' : stage]}
      onClose={() => (form.isDirty && stage !== 'report' && !asksToDiscard ? setAsksToDiscard(true) : onClose())}
    >
      <div ref={top} tabIndex={-1} className="grid grid-cols-[minmax(0,1fr)] gap-4 p-4 outline-none">
        {stage === 'form' && (
          <>
            {children}
            {mayInstall && (
              <form id="install" noValidate onSubmit={showPlan} className="grid grid-cols-[minmax(0,1fr)] gap-4">
                <h3 className="font-medium">What it needs</h3>
                {needs.length === 0 && <p className="text-ink-2">No values.</p>}
                <NeedFields
                  needs={needs}
                  values={draft.values}
                  onChange={(values) => change({ values })}
                  problem={problem}
                />
                <NeedSecrets
                  name={draft.name || title}
                  needs={needs}
                  values={draft.values}
                  onChange={(values) => change({ values })}
                />
                {hasName && (
                  <TextField
                    id="name"
                    label="Name of the connector"
                    optional
                    hint="Empty: made from the name of the server."
                    form={form}
                    mono
                    value={draft.name}
                    onText={(text) => change({ name: text })}
                  />
                )}
                {isStarted && (
                  <IsolationFields
                    form={{ draft: { isolation: draft.isolation, cmd: program }, change, problem, touch }}
                    hint="What the program may touch."
                  />
                )}
              </form>
            )}
            {plan.error !== null && <Failure title="There is no plan yet." error={plan.error} />}
          </>
        )}
        {stage === 'plan' && plan.data !== undefined && (
          <>
            <PlanView plan={plan.data} />
            {canForce(plan.data, isForced) && (
              <Check checked={isForced} onChange={force} label={describeForce(plan.data)} />
            )}
            {install.error !== null && <Failure title="Nothing was installed." error={install.error} />}
          </>
        )}
        {install.data !== undefined && <ReportView report={install.data} />}
      </div>
    </Dialog>
  )
}

function canForce({ conflicts, connectors }: DiscoveryPlan, isForced: boolean): boolean {
  return isForced || conflicts.length > 0 || connectors.some(({ action }) => action === 'keep')
}

/** What going on regardless means for this plan. */
function describeForce({ programs }: DiscoveryPlan): string {
  const replacing = 'Replace connectors of the same name'
  const isMissing = programs.some(({ path }) => path === null)
  return isMissing ? `${replacing}, and install although a program is missing` : replacing
}

/** The schema of the API, and that what must have a value has one. */
function withNeeds(needs: readonly DiscoveryNeed[]) {
  return InstallRequest.superRefine(({ values }, context) => {
    for (const { id, isRequired, default: usual } of needs)
      if (isRequired && usual === null && (values[id] ?? '').trim() === '')
        context.addIssue({ code: 'custom', path: ['values', id], message: 'It needs this value.' })
  })
}

/** Only what this way needs is sent; a value for another way stays in the form. */
function toRequest({ source, option, needs, isStarted }: Wanted) {
  return ({ name, values, isolation }: Draft) => ({
    source,
    ...(option === undefined ? {} : { option }),
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    values: Object.fromEntries(
      needs.flatMap(({ id }) => (values[id] === undefined || values[id] === '' ? [] : [[id, values[id]]])),
    ),
    ...(isStarted && { isolation: toIsolation(isolation) }),
  })
}

interface Wanted {
  readonly source: InstallSource
  readonly option: string | undefined
  readonly needs: readonly DiscoveryNeed[]
  readonly isStarted: boolean
}

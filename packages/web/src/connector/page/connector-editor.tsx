import { ConnectorInput, type ConnectorView } from '@herma/contract'
import { useMutation } from '@tanstack/react-query'
import { useMemo, type ReactNode } from 'react'
import { api } from '../../api/client.ts'
import { useMay } from '../../api/me.ts'
import { queryClient } from '../../api/query-client.ts'
import { Button } from '../../ui/button.tsx'
import { Stepper } from '../../ui/form/stepper.tsx'
import { LeaveGuard } from '../../ui/overlay/leave-guard.tsx'
import { ActionBar } from '../../ui/page/action-bar.tsx'
import { Failure } from '../../ui/page/page-state.tsx'
import { useShortcuts } from '../../ui/page/shortcuts.ts'
import { connectorQuery } from '../connectors-query.ts'
import { AdvancedSection } from '../form/advanced-section.tsx'
import { BasicSection } from '../form/basic-section.tsx'
import { draftOfView } from '../form/draft/connector-draft.ts'
import { toChanges, toInput } from '../form/draft/connector-input.ts'
import { PreviewTabs } from '../form/preview-tabs.tsx'
import { TransportSection } from '../form/transport-section.tsx'
import { type ConnectorForm, listSteps } from '../form/use-connector-form.ts'
import { SignInBox, useSignIn } from '../sign-in-box.tsx'
import { TestPanel } from '../test/test-panel.tsx'
import { type ConnectorTest, useConnectorTest } from '../test/use-connector-test.ts'

interface ConnectorEditorProps {
  readonly form: ConnectorForm
  /** Null for a new one. */
  readonly stored: ConnectorView | null
  /** Above the form. */
  readonly children?: ReactNode
  readonly onSaved: (view: ConnectorView) => void
  readonly onCancel: () => void
}

/** The form of a connector: steps at the left, test and preview at the right, Save and Test always in sight. */
export function ConnectorEditor({ form, stored, children, onSaved, onCancel }: ConnectorEditorProps) {
  const mayEdit = useMay('admin')
  const saved = stored === null ? null : form.saved
  const test = useConnectorTest(form, stored)
  const signIn = useSignIn(stored?.name ?? '')
  const save = useSave({ form, stored, onSaved })
  const shortcuts = useMemo(() => ({ 'mod+s': save.run }), [save.run])
  useShortcuts(shortcuts, mayEdit)
  const wantsSignIn = stored !== null && form.draft.transport !== 'stdio'
  return (
    <>
      <LeaveGuard isDirty={form.isDirty} />
      <Stepper label="Steps" steps={listSteps(form)} />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[minmax(0,1fr)_360px] xl:grid-cols-[minmax(0,1fr)_380px]">
        <fieldset disabled={!mayEdit} className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-8">
          <legend className="sr-only">{stored === null ? 'New connector' : `Settings of ${stored.name}`}</legend>
          {children}
          <BasicSection form={form} />
          <TransportSection form={form}>
            {wantsSignIn && <SignInBox name={stored.name} signIn={signIn} isWanted={form.draft.oauth.isOn} />}
          </TransportSection>
          <AdvancedSection form={form} />
        </fieldset>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:sticky lg:top-27 lg:max-h-[calc(100dvh-11.5rem)] lg:overflow-y-auto">
          {mayEdit && (
            <div id="test" className="scroll-mt-28 scroll-mb-20">
              <TestPanel form={form} test={test} stored={stored} onSignIn={signIn.start} />
            </div>
          )}
          <PreviewTabs draft={form.draft} saved={saved} />
        </div>
      </div>
      {mayEdit && (
        <ActionBar
          status={describeState(form, stored !== null)}
          problem={save.error !== null && <Failure title="It was not saved." error={save.error} />}
        >
          <Button variant="ghost" onClick={onCancel}>
            {form.isDirty && stored !== null ? 'Discard' : 'Cancel'}
          </Button>
          <Button pending={test.isRunning} onClick={() => runTest(test)}>
            Test
          </Button>
          <Button variant="primary" pending={save.isPending} aria-keyshortcuts="Control+S Meta+S" onClick={save.run}>
            <span>
              Save<span className="max-sm:sr-only"> connector</span>
            </span>
          </Button>
        </ActionBar>
      )}
    </>
  )
}

interface SaveOptions {
  readonly form: ConnectorForm
  readonly stored: ConnectorView | null
  readonly onSaved: (view: ConnectorView) => void
}

function useSave({ form, stored, onSaved }: SaveOptions) {
  const { draft, saved, submit, refuse, reset } = form
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      stored === null
        ? api.addConnector({ body: ConnectorInput.parse(toInput(draft)) })
        : api.updateConnector({ name: stored.name, body: toChanges(draft, saved) }),
    onSuccess: (view) => {
      queryClient.setQueryData(connectorQuery(view.name).queryKey, view)
      reset(draftOfView(view))
      onSaved(view)
      void queryClient.invalidateQueries({ queryKey: ['connectors'] })
    },
  })
  const isRefused = error !== null && form.problemCount > 0
  const run = () => {
    const isAsSaved = stored !== null && !form.isDirty
    if (isPending || isAsSaved || submit() === null) return
    mutate(undefined, { onError: refuse })
  }
  return { run, isPending, error: isRefused ? null : error }
}

/** On a narrow window the report is far below the button. */
function runTest({ isRunning, run }: ConnectorTest): void {
  if (isRunning) return
  run()
  document.getElementById('test')?.scrollIntoView({ block: 'nearest' })
}

function describeState({ problemCount, isDirty }: ConnectorForm, isStored: boolean): ReactNode {
  if (problemCount > 0) return <span className="text-bad">{problemCount} to fix</span>
  if (isDirty) return 'Not saved'
  return isStored ? 'All saved' : 'Empty'
}

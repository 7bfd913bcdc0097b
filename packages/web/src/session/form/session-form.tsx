import { SessionInput, type ProviderKind, type SessionTest as Report, type SessionView } from '@herma/contract'
import { useMutation, useMutationState, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import { useForm } from '../../form/use-form.ts'
import { Button } from '../../ui/button.tsx'
import { LeaveGuard } from '../../ui/overlay/leave-guard.tsx'
import { announce } from '../../ui/overlay/toasts.tsx'
import { ActionBar } from '../../ui/page/action-bar.tsx'
import { Failure } from '../../ui/page/page-state.tsx'
import { useShortcuts } from '../../ui/page/shortcuts.ts'
import { sessionTopics, testSession } from '../change-session.ts'
import { SessionTest } from '../session-test.tsx'
import { secretsToStore, toDraft, toInput, toPatch } from './field/session-draft.ts'
import { SessionChanges } from './session-changes.tsx'
import { SessionFields } from './session-fields.tsx'

interface SessionFormProps {
  /** Null for a new one. */
  readonly session: SessionView | null
  readonly provider: ProviderKind
}

const mutationKey = ['test-session']

/** All settings of a session, with a test and what has changed beside them. */
export function SessionForm({ session, provider }: SessionFormProps) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const initial = useMemo(() => toDraft(session, provider), [session, provider])
  const form = useForm({ initial, schema: SessionInput, toInput })
  const [problem, setProblem] = useState<unknown>(null)
  const [isSaving, setSaving] = useState(false)
  const run = useMutation({ mutationKey, mutationFn: (name: string) => testSession(name) })
  // A new session has another page once it is saved, where its test goes on.
  const tests = useMutationState({
    filters: { mutationKey, predicate: ({ state }) => state.variables === session?.name },
    select: ({ state }) => state as { status: string; data?: Report; error: Error | null },
  })
  const test = tests.at(-1)
  const isTesting = test?.status === 'pending'
  const [testedDraft, setTestedDraft] = useState<object | null>(null)

  /** The name under which it was saved; null when it was not. */
  async function save(): Promise<string | null> {
    if (session !== null && !form.isDirty) return session.name
    const checked = form.submit()
    if (checked === null || isSaving) return null
    setSaving(true)
    setProblem(null)
    try {
      for (const { name, value } of secretsToStore(form.draft)) await api.setSecret({ name, body: { value } })
      const input = toInput(form.draft)
      const saved =
        session === null
          ? await api.addSession({ body: input })
          : await api.updateSession({ name: session.name, body: toPatch(input, toInput(form.saved)) })
      await queries.invalidateQueries({ predicate: ({ queryKey }) => sessionTopics.includes(queryKey[0] as never) })
      form.reset(toDraft(saved))
      announce(`${saved.name} is saved`, session === null ? 'Test it, attach connectors, or talk to it.' : undefined)
      if (saved.name !== session?.name)
        await navigate({
          to: '/sessions/$name/edit',
          params: { name: saved.name },
          replace: session !== null,
          // The guard has not seen yet that nothing is left unsaved.
          ignoreBlocker: true,
        })
      return saved.name
    } catch (error) {
      if (!form.refuse(error)) setProblem(error)
      return null
    } finally {
      setSaving(false)
    }
  }
  async function saveAndTest() {
    const name = await save()
    if (name === null) return
    setTestedDraft(form.draft)
    run.mutate(name)
    // On a narrow window the report is far below the button.
    document.getElementById('test')?.scrollIntoView({ block: 'nearest' })
  }
  const shortcuts = useMemo(() => ({ 'mod+s': () => document.getElementById('save-session')?.click() }), [])
  useShortcuts(shortcuts)

  const cancel = () =>
    void (session === null
      ? navigate({ to: '/sessions' })
      : navigate({ to: '/sessions/$name', params: { name: session.name } }))
  const testAction = session === null || form.isDirty ? 'Save and test' : 'Test'
  return (
    <>
      <LeaveGuard isDirty={form.isDirty} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-8 pb-6 xl:grid-cols-[minmax(0,1fr)_340px]">
        <SessionFields form={form} saved={session?.name ?? null} />
        <aside
          id="test"
          aria-label="Test and changes"
          className="grid scroll-mb-20 content-start gap-4 xl:sticky xl:top-16 xl:self-start"
        >
          <SessionTest
            test={test?.data ?? null}
            error={test?.error ?? null}
            isRunning={isTesting}
            isStale={testedDraft !== null && form.isDirty}
            action={testAction}
            onRun={() => void saveAndTest()}
          />
          <SessionChanges
            now={toInput(form.draft)}
            before={session === null ? null : toInput(form.saved)}
            secrets={secretsToStore(form.draft).map(({ name }) => name)}
          />
        </aside>
      </div>
      <ActionBar
        status={describeState(form.problemCount, form.isDirty, session === null)}
        problem={problem !== null && <Failure title="It was not saved." error={problem} />}
      >
        <Button variant="ghost" onClick={cancel}>
          Cancel
        </Button>
        <Button pending={isTesting} onClick={() => void saveAndTest()}>
          {testAction}
        </Button>
        <Button id="save-session" variant="primary" pending={isSaving} onClick={() => void save()}>
          {session === null ? 'Create session' : 'Save'}
        </Button>
      </ActionBar>
    </>
  )
}

function describeState(problems: number, isDirty: boolean, isNew: boolean): string {
  if (problems > 0) return problems === 1 ? '1 field needs a look' : `${problems} fields need a look`
  if (isDirty) return 'Not saved yet'
  return isNew ? '' : 'All changes saved'
}

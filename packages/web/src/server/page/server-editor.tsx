import type { ConnectorView, ServerTestRequest, ServerView, TeamView, TestReport } from '@herma/contract'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo, useRef, useState } from 'react'
import { useMay } from '../../api/me.ts'
import { ApiProblem } from '../../api/problem.ts'
import { useChange } from '../../api/use-change.ts'
import { useForm } from '../../form/use-form.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { count } from '../../ui/format.ts'
import { LeaveGuard } from '../../ui/overlay/leave-guard.tsx'
import { ActionBar } from '../../ui/page/action-bar.tsx'
import { Failure } from '../../ui/page/page-state.tsx'
import { Page } from '../../ui/page/page.tsx'
import { useShortcuts } from '../../ui/page/shortcuts.ts'
import { Tabs } from '../../ui/tabs.tsx'
import { serverTopics, testServer } from '../change-server.ts'
import { kindTexts } from '../describe-server.ts'
import { isAtFields, saveServer } from '../form/save-server.ts'
import { ServerForm, toDraft, toForm, type ServerDraft } from '../form/server-draft.ts'
import { ServerHead, ServerActions } from './server-head.tsx'
import { serverTabs, tabOfField, type TabId } from './server-tabs.tsx'
import type { Trial } from './server-trial.tsx'

interface ServerEditorProps {
  readonly server: ServerView
  readonly team: TeamView | undefined
  readonly hosted: ConnectorView | undefined
}

/** The form of a server in its tabs, which are saved together, with what acts at once beside it. */
export function ServerEditor({ server, team, hosted }: ServerEditorProps) {
  const { name, kind, connector } = server
  const mayChange = useMay('admin')
  const canSave = mayChange && kind !== 'management'
  const { tab } = useSearch({ from: '/servers/$name' })
  const navigate = useNavigate({ from: '/servers/$name' })
  const open = (next: TabId) => navigate({ search: { tab: next }, replace: true })
  const trial = useTrial(name)
  const initial = useMemo(() => toDraft(server, team, hosted), [server, team, hosted])
  const toInput = useCallback((draft: ServerDraft) => toForm(draft, connector ?? name), [connector, name])
  const form = useForm({ initial, schema: ServerForm, toInput })
  const sent = useRef<ServerDraft>(null)
  const save = useChange({
    send: (next: ServerForm) => saveServer(server, { next, last: parse(toInput(initial)) }),
    topics: serverTopics,
    done: () => `${name} is saved`,
    onDone: () => {
      // What was typed while it was saved is not saved.
      if (form.draft === sent.current) form.reset(form.draft)
    },
  })

  async function submit() {
    if (!canSave || save.isPending) return
    const first = ServerForm.safeParse(toInput(form.draft)).error?.issues[0]?.path.join('.')
    // The field may be in a tab that is not open.
    if (first !== undefined) await open(tabOfField(first))
    const input = form.submit()
    if (input === null) return
    sent.current = form.draft
    try {
      await save.mutateAsync(input)
    } catch (error) {
      const path = error instanceof ApiProblem ? error.issues[0]?.path : undefined
      if (path !== undefined) await open(tabOfField(path))
      form.refuse(error)
    }
  }
  function test(request?: ServerTestRequest) {
    void open('diagnostics')
    trial.run(request)
  }
  useShortcuts({ 'mod+s': () => void submit() })

  const tabs = serverTabs({
    server,
    team,
    form,
    mayChange: canSave,
    mayTest: mayChange,
    trial: { ...trial, run: test },
  })
  return (
    <Page
      title={name}
      above={[{ label: 'Servers', to: '/servers' }]}
      heading={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {name} <Badge>{kindTexts[kind].label}</Badge>
        </span>
      }
      hint={server.description || kindTexts[kind].meaning}
      actions={<ServerActions server={server} mayChange={mayChange} onTest={() => test()} />}
      className="flex min-h-[calc(100dvh-3rem)] flex-col pb-0"
    >
      <ServerHead server={server} team={team} onOpen={(next) => void open(next)} />
      <Tabs
        label="Sections"
        tabs={tabs}
        value={tabs.find(({ id }) => id === tab)?.id ?? tabs[0]!.id}
        onChange={(next) => void open(next)}
        listClassName="px-0"
      />
      {mayChange && (
        <ActionBar
          status={canSave ? describeState(form) : 'This server belongs to Herma: there is nothing to set.'}
          problem={
            save.error !== null && !isAtFields(save.error) && <Failure title="It was not saved." error={save.error} />
          }
        >
          {canSave && form.isDirty && <Button onClick={() => form.reset(initial)}>Cancel</Button>}
          <Button pending={trial.isRunning} onClick={() => test()}>
            Test
          </Button>
          {canSave && (
            <Button variant="primary" pending={save.isPending} onClick={() => void submit()}>
              Save
            </Button>
          )}
        </ActionBar>
      )}
      <LeaveGuard isDirty={form.isDirty} />
    </Page>
  )
}

function describeState({ problemCount, isDirty }: { problemCount: number; isDirty: boolean }): string {
  if (problemCount > 0) return `${count(problemCount, 'field')} ${problemCount === 1 ? 'needs' : 'need'} a look`
  return isDirty ? 'Changes are not saved yet' : 'All changes saved'
}

/** A stored server may hold what the schema of today would not take; it is compared as it is then. */
function parse(input: unknown): ServerForm {
  return ServerForm.safeParse(input).data ?? (input as ServerForm)
}

/** The last test of a server stays while its tabs are looked at. */
function useTrial(name: string): Trial {
  const [report, setReport] = useState<TestReport | null>(null)
  const [ranAt, setRanAt] = useState<string | null>(null)
  const { mutate, isPending, error } = useChange({
    send: (request: ServerTestRequest | undefined) => testServer(name, request),
    topics: ['servers', 'teams'],
    onDone: (answer) => {
      setReport(answer)
      setRanAt(new Date().toISOString())
    },
  })
  return { report, ranAt, error, isRunning: isPending, run: (request) => mutate(request) }
}

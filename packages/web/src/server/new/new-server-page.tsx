import type { NewApiKey } from '@herma/contract'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../../api/me.ts'
import { ApiProblem } from '../../api/problem.ts'
import { useChange } from '../../api/use-change.ts'
import { useForm, type Form } from '../../form/use-form.ts'
import { Button, buttonStyle } from '../../ui/button.tsx'
import { Stepper, type Step } from '../../ui/form/stepper.tsx'
import { count } from '../../ui/format.ts'
import { LeaveGuard } from '../../ui/overlay/leave-guard.tsx'
import { ActionBar } from '../../ui/page/action-bar.tsx'
import { Empty, Failure } from '../../ui/page/page-state.tsx'
import { Page } from '../../ui/page/page.tsx'
import { useShortcuts } from '../../ui/page/shortcuts.ts'
import { serverTopics } from '../change-server.ts'
import { isAtFields } from '../form/save-server.ts'
import { KeyOnce } from '../form/server-keys.tsx'
import {
  addKey,
  addServer,
  NameTaken,
  newServer,
  NewServerForm,
  toNewServer,
  type NewServerDraft,
} from './new-server-draft.ts'
import { BasicStep, PathStep, RoutingStep, TransportStep } from './new-server-steps.tsx'

/** A new team or custom server, on one page. */
export default function NewServerPage() {
  const mayAdd = useMay('admin')
  return mayAdd ? (
    <NewServer />
  ) : (
    <Page title="New server" above={above}>
      <Empty title="Only an admin can add a server">Ask whoever runs this hub.</Empty>
    </Page>
  )
}

const above = [{ label: 'Servers', to: '/servers' }]

/** What was made, while its key is shown or could not be made. */
interface Made {
  readonly name: string
  readonly key: NewApiKey | null
  readonly problem: unknown
}

function NewServer() {
  const navigate = useNavigate()
  const form = useForm({ initial: newServer, schema: NewServerForm, toInput: toNewServer })
  const [made, setMade] = useState<Made | null>(null)
  const { draft } = form
  const show = (name: string) =>
    void navigate({
      to: '/servers/$name',
      params: { name },
      search: { tab: draft.kind === 'team' && draft.members.length === 0 ? 'routing' : 'diagnostics' },
      ignoreBlocker: true,
    })
  const add = useChange({
    send: async (input: NewServerForm): Promise<Made> => {
      const { name, makesKey } = input
      await addServer(input)
      if (!makesKey) return { name, key: null, problem: null }
      // The server is there by now, whatever comes of its key.
      return addKey(name).then(
        (key) => ({ name, key, problem: null }),
        (problem: unknown) => ({ name, key: null, problem }),
      )
    },
    topics: [...serverTopics, 'access'],
    done: (_, { name }) => `${name} is served now`,
    onDone: (answer) => {
      form.reset(draft)
      if (answer.key === null && answer.problem === null) show(answer.name)
      else setMade(answer)
    },
  })
  function submit() {
    if (add.isPending || made !== null) return
    const input = form.submit()
    if (input === null) return
    add.mutate(input, {
      onError: (error) => void form.refuse(error instanceof NameTaken ? error.toProblem() : error),
    })
  }
  useShortcuts({ 'mod+s': submit })

  const isTeam = draft.kind === 'team'
  return (
    <Page
      title="New server"
      above={above}
      hint="A team of sessions behind one address, or a server of your own that Herma hosts."
      className="flex min-h-[calc(100dvh-3rem)] flex-col pb-0"
    >
      <Stepper label="Steps" steps={listNewSteps(form, add.error)} />
      <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-8 pb-8">
        <BasicStep form={form} />
        <TransportStep form={form} />
        {isTeam && <RoutingStep form={form} />}
        {isTeam && <PathStep form={form} />}
        {add.error !== null && !(add.error instanceof NameTaken || isAtFields(add.error)) && (
          <Failure title="It was not saved." error={add.error} />
        )}
        {made !== null && made.key === null && (
          <Failure
            title={`${made.name} is served, but its key was not made.`}
            error={made.problem}
            fix={
              <Button size="sm" onClick={() => show(made.name)}>
                Open {made.name}
              </Button>
            }
          />
        )}
      </div>
      <ActionBar
        status={
          form.problemCount > 0
            ? `${count(form.problemCount, 'field')} ${form.problemCount === 1 ? 'needs' : 'need'} a look`
            : 'Save it, then test it'
        }
      >
        <Link to="/servers" className={buttonStyle({})}>
          Cancel
        </Link>
        <Button variant="primary" pending={add.isPending} onClick={submit}>
          Save
        </Button>
      </ActionBar>
      {made !== null && made.key !== null && (
        <KeyOnce
          name={made.key.view.name}
          value={made.key.key}
          keyHeader={draft.server.keyHeader}
          onClose={() => show(made.name)}
        />
      )}
      <LeaveGuard isDirty={form.isDirty && made === null} />
    </Page>
  )
}

const basic = { id: 'basic-step', label: 'Basic', fields: /^(name|description|team\.(max|deadline|workingDir))/ }
const transport = { id: 'transport-step', label: 'Transport', fields: /^(connector|host|server)/ }
const members = { id: 'routing-step', label: 'Members', fields: /^team\.(members|routing)/ }
const paths = { id: 'path-step', label: 'Paths', fields: /^team\.(paths|hopLimit)/ }

/** How far each step of a new server is. `error` is why the hub did not take it. */
function listNewSteps({ draft, problem }: Form<NewServerDraft, unknown>, error: unknown): Step[] {
  const issues = NewServerForm.safeParse(toNewServer(draft)).error?.issues ?? []
  const refused = error instanceof ApiProblem ? error.issues : []
  const isShown = (path: string) => problem(path) !== undefined
  const missed = new Set(issues.map(({ path }) => path.join('.')))
  for (const { path } of refused) if (isShown(path)) missed.add(path)
  const steps = draft.kind === 'team' ? [basic, transport, members, paths] : [basic, transport]
  return steps.map(({ id, label, fields }) => {
    const own = [...missed].filter((path) => fields.test(path))
    const isEmpty = id === members.id && draft.members.length === 0
    return { id, label, problemCount: own.filter(isShown).length, isDone: own.length === 0 && !isEmpty }
  })
}

import { ApiProblem } from '../api/problem.ts'
import type { Step } from '../ui/stepper.tsx'
import type { Form } from '../form/use-form.ts'
import { NewServerForm, toNewServer, type NewServerDraft } from './new-server-draft.ts'

const basic = { id: 'basic-step', label: 'Basic', fields: /^(name|description|team\.(max|deadline|workingDir))/ }
const transport = { id: 'transport-step', label: 'Transport', fields: /^(connector|host|server)/ }
const members = { id: 'routing-step', label: 'Members', fields: /^team\.(members|routing)/ }
const paths = { id: 'path-step', label: 'Paths', fields: /^team\.(paths|hopLimit)/ }

/** How far each step of a new server is. `error` is why the hub did not take it. */
export function listNewSteps({ draft, problem }: Form<NewServerDraft, unknown>, error: unknown): Step[] {
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

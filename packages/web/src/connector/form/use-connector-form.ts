import { useForm, type Form } from '../../form/use-form.ts'
import type { Step } from '../../ui/form/stepper.tsx'
import type { ConnectorDraft } from './draft/connector-draft.ts'
import { CheckedInput, toChecked } from './draft/connector-input.ts'

export type ConnectorForm = Form<ConnectorDraft, unknown>

export function useConnectorForm(initial: ConnectorDraft): ConnectorForm {
  return useForm<ConnectorDraft, unknown>({ initial, schema: CheckedInput, toInput: toChecked })
}

const steps = [
  { id: 'basic', label: 'Basic', fields: ['name', 'description', 'kind', 'enabled'] },
  {
    id: 'transport-step',
    label: 'Transport',
    fields: [
      'transport',
      'baseUrl',
      'endpointPath',
      'headers',
      'cmd',
      'args',
      'env',
      'workingDir',
      'isolation',
      'oauth',
    ],
  },
  { id: 'advanced', label: 'Advanced', fields: ['options', 'notes'] },
]

/** How far each step of the form is. */
export function listSteps({ draft, problem }: ConnectorForm): Step[] {
  const issues = CheckedInput.safeParse(toChecked(draft)).error?.issues ?? []
  return steps.map(({ id, label, fields }) => {
    const own = issues.filter(({ path }) => fields.includes(String(path[0])))
    const shown = own.filter(({ path }) => problem(path.join('.')) !== undefined)
    return { id, label, problemCount: shown.length, isDone: own.length === 0 }
  })
}

import { ClientImport } from '@herma/contract'
import { emptyIsolation, toIsolation, type IsolationDraft } from '../connector/form/draft/isolation-draft.ts'
import { IsolationFields } from '../connector/form/isolation-fields.tsx'
import { useForm, type Form } from '../form/use-form.ts'
import { Card } from '../ui/card.tsx'
import { Check } from '../ui/form/check.tsx'

const ImportChoice = ClientImport.pick({ storeSecrets: true, isolation: true })
export type ImportChoice = Pick<ClientImport, 'storeSecrets' | 'isolation'>

interface Draft {
  readonly storeSecrets: boolean
  readonly isolation: IsolationDraft
}

const usual: Draft = { storeSecrets: false, isolation: emptyIsolation }

/** How servers of clients are taken over, whichever file they are in. */
export function useImportChoice(): Form<Draft, ImportChoice> {
  return useForm({ initial: usual, schema: ImportChoice, toInput })
}

function toInput({ storeSecrets, isolation }: Draft) {
  return { storeSecrets, isolation: toIsolation(isolation) }
}

export function ImportChoiceCard({ form }: { form: Form<Draft, ImportChoice> }) {
  const { draft, change, problem, touch } = form
  return (
    <Card title="How servers are taken over" hint="For every file below.">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 p-4">
        <Check
          checked={draft.storeSecrets}
          onChange={(storeSecrets) => change({ storeSecrets })}
          label="Store what looks like a secret by name"
          hint="Its place refers to it then, and its value is shown to nobody."
        />
        <IsolationFields
          form={{ draft: { isolation: draft.isolation, cmd: '' }, change, problem, touch }}
          hint="What programs may touch."
        />
      </div>
    </Card>
  )
}

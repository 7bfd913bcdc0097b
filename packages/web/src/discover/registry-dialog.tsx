import { DiscoverySettings, officialRegistry } from '@herma/contract'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { useChange } from '../api/use-change.ts'
import { FormDialog } from '../form/form-dialog.tsx'
import { useForm } from '../form/use-form.ts'
import { Button } from '../ui/button.tsx'
import { LinesField, toLines } from '../ui/form/lines-field.tsx'

interface RegistryDialogProps {
  readonly settings: DiscoverySettings
  readonly onClose: () => void
}

/** Which registries are asked. */
export function RegistryDialog({ settings, onClose }: RegistryDialogProps) {
  const [initial] = useState({ registries: settings.registries.join('\n') })
  const form = useForm({ initial, schema: DiscoverySettings, toInput })
  const { draft, change, problem, touch } = form
  const save = useChange({
    send: (body: DiscoverySettings) => api.setDiscoverySettings({ body }),
    topics: ['settings', 'discovery'],
    done: () => 'The registries are saved.',
  })
  return (
    <FormDialog title="Registries" action="Save" form={form} save={save.mutateAsync} onClose={onClose}>
      <LinesField
        id="registries"
        label="Addresses"
        hint="One on each line; the first is asked unless another is chosen. They have to speak the API of the official registry."
        value={draft.registries}
        onChange={(registries) => change({ registries })}
        onBlur={() => touch('registries')}
        problem={problem}
      />
      {!toLines(draft.registries).includes(officialRegistry) && (
        <Button
          size="sm"
          className="justify-self-start"
          onClick={() => change({ registries: [draft.registries.trim(), officialRegistry].filter(Boolean).join('\n') })}
        >
          Add the official registry
        </Button>
      )}
    </FormDialog>
  )
}

const toInput = ({ registries }: { registries: string }) => ({ registries: toLines(registries) })

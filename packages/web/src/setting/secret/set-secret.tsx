import { SecretInput as SecretBody, SecretName, type SecretView } from '@herma/contract'
import { useState } from 'react'
import { z } from 'zod'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useForm } from '../../form/use-form.ts'
import { describe, Field, TextArea } from '../../ui/form/field.tsx'
import { SecretInput } from '../../ui/form/secret-input.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import { TextField } from '../../ui/form/text-field.tsx'

// The name stands in the address of the request, the rest in its body.
const NamedSecret = SecretBody.extend({ name: SecretName, isGenerated: z.boolean() }).refine(
  ({ value, isGenerated }) => isGenerated || value !== undefined,
  { path: ['value'], error: 'Enter the value, or let the hub make one up.' },
)
type NamedSecret = z.infer<typeof NamedSecret>

interface SetSecretProps {
  /** The one that gets another value; null = a new one. */
  readonly secret: SecretView | null
  readonly onClose: () => void
  readonly onGenerate: (name: string) => Promise<unknown>
}

/** A new secret or a new value. What is stored is never shown. */
export function SetSecret({ secret, onClose, onGenerate }: SetSecretProps) {
  const [initial] = useState({
    name: secret?.name ?? '',
    value: '',
    description: secret?.description ?? '',
    isLong: false,
    isGenerated: false,
  })
  const form = useForm({ initial, schema: NamedSecret, toInput })
  const { draft, change, problem } = form
  const set = useChange({
    send: ({ name, value, description }: NamedSecret) => api.setSecret({ name, body: { value, description } }),
    topics: ['secrets', 'connectors', 'sessions'],
    done: (_, { name }) => `${name} is stored. Nobody can read it again.`,
  })
  const value = { ...describe('value', problem('value')), value: draft.value }
  return (
    <FormDialog
      title={secret === null ? 'Add secret' : `Replace ${secret.name}`}
      hint={secret === null ? undefined : 'Connectors that use it start anew.'}
      action={draft.isGenerated ? 'Generate' : 'Store'}
      form={form}
      save={(input) => (input.isGenerated ? onGenerate(input.name) : set.mutateAsync(input))}
      onClose={onClose}
    >
      {secret === null && (
        <TextField
          id="name"
          label="Name"
          hint="For example GITHUB_TOKEN."
          form={form}
          mono
          value={draft.name}
          onText={(text) => change({ name: text })}
        />
      )}
      {secret === null && (
        <Switch
          checked={draft.isGenerated}
          onChange={(isGenerated) => change({ isGenerated, value: '' })}
          label="Make one up"
          hint="The hub makes a random value and shows it once."
        />
      )}
      {!draft.isGenerated && (
        <>
          <Field id="value" label="Value" hint="Stored encrypted and never shown again." error={problem('value')}>
            {draft.isLong ? (
              <TextArea {...value} mono rows={5} onChange={(event) => change({ value: event.target.value })} />
            ) : (
              <SecretInput
                {...value}
                label="the value"
                isStored={false}
                onChange={(text) => change({ value: text ?? '' })}
              />
            )}
          </Field>
          <Switch
            checked={draft.isLong}
            onChange={(isLong) => change({ isLong })}
            label="Several lines"
            hint="For certificates and keys. What you type can then be seen."
          />
          <TextField
            id="description"
            label="Description"
            optional
            form={form}
            value={draft.description}
            onText={(text) => change({ description: text })}
          />
        </>
      )}
    </FormDialog>
  )
}

const toInput = (draft: { name: string; value: string; description: string; isGenerated: boolean }) => ({
  name: draft.name.trim(),
  description: draft.description,
  isGenerated: draft.isGenerated,
  ...(draft.value === '' ? {} : { value: draft.value }),
})

import { IdentityProviderInput, type Role } from '@herma/contract'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useForm } from '../../form/use-form.ts'
import { describe, Field } from '../../ui/form/field.tsx'
import { LinesField, toLines } from '../../ui/form/lines-field.tsx'
import { SecretInput } from '../../ui/form/secret-input.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { RoleField } from './role-field.tsx'

const empty = {
  name: '',
  label: '',
  issuer: '',
  clientId: '',
  clientSecret: '',
  domains: '',
  createUsers: false,
  role: 'member' as Exclude<Role, 'owner'>,
}
const toInput = (draft: typeof empty) => ({ ...draft, domains: toLines(draft.domains) })

const fields = [
  ['name', 'Name', 'A short name for the address, such as google.'],
  ['label', 'Button', 'What the sign-in page shows, such as Sign in with Google.'],
  ['issuer', 'Issuer', 'Its https address, spelt exactly as the provider spells it.'],
  ['clientId', 'Client id', 'From the provider.'],
] as const

/** An OpenID Connect provider. The hub asks it for its endpoints before it is stored. */
export function AddProvider({ onClose }: { onClose: () => void }) {
  const form = useForm({ initial: empty, schema: IdentityProviderInput, toInput })
  const { draft, change, problem } = form
  const add = useChange({
    send: (body: IdentityProviderInput) => api.addIdentityProvider({ body }, { timeoutMs: 60_000 }),
    topics: ['access'],
    done: () => `People can sign in with ${draft.label}.`,
  })
  return (
    <FormDialog
      title="Add identity provider"
      action="Add provider"
      form={form}
      save={add.mutateAsync}
      onClose={onClose}
    >
      {fields.map(([id, label, hint]) => (
        <TextField
          key={id}
          id={id}
          label={label}
          hint={hint}
          form={form}
          mono={id !== 'label'}
          value={draft[id]}
          onText={(text) => change({ [id]: text })}
        />
      ))}
      <Field
        id="clientSecret"
        label="Client secret"
        hint="From the provider. Stored encrypted and never shown again."
        error={problem('clientSecret')}
      >
        <SecretInput
          {...describe('clientSecret', problem('clientSecret'))}
          label="the client secret"
          isStored={false}
          value={draft.clientSecret}
          onChange={(secret) => change({ clientSecret: secret ?? '' })}
        />
      </Field>
      <LinesField
        id="domains"
        label="Domains"
        optional
        hint="E-mail domains that may sign in, one on each line; none = any."
        placeholder="example.com"
        value={draft.domains}
        onChange={(domains) => change({ domains })}
        problem={problem}
      />
      <Switch
        checked={draft.createUsers}
        onChange={(createUsers) => change({ createUsers })}
        label="Make users of new people"
        hint="Off: only people who are users already can sign in."
      />
      {draft.createUsers && (
        <RoleField
          id="role"
          without={['owner']}
          value={draft.role}
          onChange={(role) => role !== 'owner' && change({ role })}
        />
      )}
    </FormDialog>
  )
}

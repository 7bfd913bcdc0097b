import { TrustedIssuerInput, type Role } from '@herma/contract'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useForm } from '../../form/use-form.ts'
import { describe, Field } from '../../ui/form/field.tsx'
import { SecretInput } from '../../ui/form/secret-input.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { RoleField } from './role-field.tsx'

const empty = {
  name: '',
  issuer: '',
  audience: '',
  role: 'member' as Exclude<Role, 'owner'>,
  isOpaque: false,
  clientId: '',
  clientSecret: '',
}

const toInput = ({ name, issuer, audience, role, isOpaque, clientId, clientSecret }: typeof empty) => ({
  name,
  issuer,
  audience: audience.trim() === '' ? null : audience.trim(),
  role,
  introspection: isOpaque ? { clientId, clientSecret } : null,
})

/** Another authorization server whose access tokens count here. */
export function AddIssuer({ onClose }: { onClose: () => void }) {
  const form = useForm({ initial: empty, schema: TrustedIssuerInput, toInput })
  const { draft, change, problem } = form
  const add = useChange({
    send: (body: TrustedIssuerInput) => api.addTrustedIssuer({ body }, { timeoutMs: 60_000 }),
    topics: ['access'],
    done: () => `Tokens of ${draft.name} count now.`,
  })
  const [clientId, clientSecret] = ['introspection.clientId', 'introspection.clientSecret']
  return (
    <FormDialog title="Trust an issuer" action="Trust it" form={form} save={add.mutateAsync} onClose={onClose}>
      <TextField
        id="name"
        label="Name"
        hint="A short name, such as company."
        form={form}
        mono
        value={draft.name}
        onText={(text) => change({ name: text })}
      />
      <TextField
        id="issuer"
        label="Issuer"
        hint="Spelt exactly as in the tokens."
        form={form}
        mono
        value={draft.issuer}
        onText={(text) => change({ issuer: text })}
      />
      <TextField
        id="audience"
        label="Audience"
        optional
        hint="What its tokens say in aud; empty = the address of the server."
        form={form}
        mono
        value={draft.audience}
        onText={(text) => change({ audience: text })}
      />
      <RoleField
        id="role"
        without={['owner']}
        value={draft.role}
        onChange={(role) => role !== 'owner' && change({ role })}
      />
      <Switch
        checked={draft.isOpaque}
        onChange={(isOpaque) => change({ isOpaque })}
        label="Ask the issuer about each token"
        hint="For opaque tokens. Off: its tokens are JWTs."
      />
      {draft.isOpaque && (
        <>
          <TextField
            id={clientId}
            label="Client id"
            form={form}
            mono
            value={draft.clientId}
            onText={(text) => change({ clientId: text })}
          />
          <Field
            id={clientSecret}
            label="Client secret"
            hint="Stored encrypted and never shown again."
            error={problem(clientSecret)}
          >
            <SecretInput
              {...describe(clientSecret, problem(clientSecret))}
              label="the client secret"
              isStored={false}
              value={draft.clientSecret}
              onChange={(secret) => change({ clientSecret: secret ?? '' })}
            />
          </Field>
        </>
      )}
    </FormDialog>
  )
}

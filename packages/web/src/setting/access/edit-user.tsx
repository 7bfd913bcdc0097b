import { UserPatch, type UserView } from '@herma/contract'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useForm } from '../../form/use-form.ts'
import { Switch } from '../../ui/form/switch.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { RoleField } from './role-field.tsx'

/** Role, address and whether somebody may sign in. */
export function EditUser({ user, onClose }: { user: UserView; onClose: () => void }) {
  const [initial] = useState({ role: user.role, email: user.email ?? '', disabled: user.disabled })
  const form = useForm({ initial, schema: UserPatch, toInput })
  const { draft, change } = form
  const save = useChange({
    send: (body: UserPatch) => api.updateUser({ name: user.name, body }),
    topics: ['access'],
    done: ({ name }) => `${name} was changed.`,
  })
  return (
    <FormDialog title={user.name} action="Save" form={form} save={save.mutateAsync} onClose={onClose}>
      <RoleField id="role" value={draft.role} onChange={(role) => change({ role })} />
      <TextField
        id="email"
        label="E-mail"
        optional
        hint="Another way to sign in."
        form={form}
        type="email"
        value={draft.email}
        onText={(text) => change({ email: text })}
      />
      <Switch
        checked={!draft.disabled}
        onChange={(isOn) => change({ disabled: !isOn })}
        label="May sign in"
        hint="Off: sign-ins and tokens are refused at once; nothing is forgotten."
      />
    </FormDialog>
  )
}

const toInput = ({ role, email, disabled }: { role: UserView['role']; email: string; disabled: boolean }) => ({
  role,
  disabled,
  email: email.trim() === '' ? null : email.trim(),
})

import { UserInput, type Role, type UserSetup } from '@herma/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { api } from '../../api/client.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useForm } from '../../form/use-form.ts'
import { TextField } from '../../ui/form/text-field.tsx'
import { RoleField } from './role-field.tsx'

const empty = { name: '', email: '', role: 'member' as Role }
const toInput = ({ name, email, role }: typeof empty) => ({
  name: name.trim(),
  role,
  email: email.trim() === '' ? null : email.trim(),
})

interface AddUserProps {
  readonly onClose: () => void
  readonly onAdded: (setup: UserSetup) => void
}

export function AddUser({ onClose, onAdded }: AddUserProps) {
  const queries = useQueryClient()
  const added = useRef<UserSetup>(null)
  const form = useForm({ initial: empty, schema: UserInput, toInput })
  const { draft, change } = form
  return (
    <FormDialog
      title="Add user"
      hint="You get a code to hand over, with which they set a password."
      action="Add user"
      form={form}
      save={async (body) => {
        added.current = await api.addUser({ body })
        await queries.invalidateQueries({ queryKey: ['access'] })
      }}
      onClose={() => (added.current === null ? onClose() : onAdded(added.current))}
    >
      <TextField
        id="name"
        label="Name"
        hint="Small letters, digits, “.”, “_” and “-”."
        form={form}
        mono
        value={draft.name}
        onText={(text) => change({ name: text })}
      />
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
      <RoleField id="role" value={draft.role} onChange={(role) => change({ role })} />
    </FormDialog>
  )
}

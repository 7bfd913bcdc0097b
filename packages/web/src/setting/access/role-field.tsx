import { Role } from '@herma/contract'
import { useMay } from '../../api/me.ts'
import { describe, Field, Select } from '../../ui/form/field.tsx'
import { roleTexts } from './you-section.tsx'

interface RoleFieldProps {
  readonly id: string
  readonly value: Role
  readonly onChange: (role: Role) => void
  /** Roles that are not for this. */
  readonly without?: readonly Role[]
}

/** A role, of those that the one who asks may give. */
export function RoleField({ id, value, onChange, without = [] }: RoleFieldProps) {
  const may = { owner: useMay('owner'), admin: useMay('owner'), member: useMay('member'), viewer: true }
  const roles = Role.options.filter((role) => (may[role] && !without.includes(role)) || role === value)
  return (
    <Field id={id} label="Role" hint={roleTexts[value]}>
      <Select {...describe(id)} value={value} onChange={(event) => onChange(event.target.value as Role)}>
        {roles.map((role) => (
          <option key={role}>{role}</option>
        ))}
      </Select>
    </Field>
  )
}

import { TeamRole } from '@herma/contract'
import { useId, useState } from 'react'
import { Input } from '../../ui/form/field.tsx'

/** What the tools of a team ask for; any other word can be reached by dispatch. */
export const usualRoles = ['code', 'test', 'search', 'planner'] as const

interface RoleInputProps {
  readonly label: string
  readonly value: string
  readonly disabled?: boolean
  /** Called when the field is left or Enter is pressed, with a role that differs. */
  readonly onCommit: (role: string) => void
}

/** What a member is there for: one of four usual roles, or a word of one's own. */
export function RoleInput({ label, value, disabled, onCommit }: RoleInputProps) {
  const id = useId()
  const [text, setText] = useState<string | null>(null)
  const isFit = text === null || TeamRole.safeParse(text).success
  function commit() {
    if (text === null || !isFit) return
    setText(null)
    if (text !== value) onCommit(text)
  }
  return (
    <>
      <Input
        aria-label={label}
        aria-invalid={isFit ? undefined : true}
        aria-describedby={isFit ? undefined : `${id}-problem`}
        list={`${id}-roles`}
        value={text ?? value}
        disabled={disabled}
        onChange={(event) => setText(event.target.value.toLowerCase())}
        onBlur={commit}
        onKeyDown={(event) => event.key === 'Enter' && commit()}
      />
      <datalist id={`${id}-roles`}>
        {usualRoles.map((role) => (
          <option key={role}>{role}</option>
        ))}
      </datalist>
      {!isFit && (
        <p id={`${id}-problem`} className="text-sm text-bad">
          Use letters, digits and "-", beginning with a letter.
        </p>
      )}
    </>
  )
}

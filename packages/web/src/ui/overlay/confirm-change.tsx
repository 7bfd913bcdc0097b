import type { UseMutationResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Failure } from '../page/page-state.tsx'
import { Confirm } from './dialog.tsx'

interface ConfirmChangeProps<Input> {
  readonly title: string
  /** What the button does: 'Revoke key'. */
  readonly action: string
  /** Of useChange; it closes this when it is done. */
  readonly change: UseMutationResult<unknown, Error, Input>
  readonly input: Input
  readonly onClose: () => void
  /** What will be gone or changed, and what stays. */
  readonly children: ReactNode
}

/** Asks before a change that cannot be taken back, and stays when it was refused. */
export function ConfirmChange<Input>(props: ConfirmChangeProps<Input>) {
  const { title, action, change, input, onClose, children } = props
  return (
    <Confirm
      isOpen
      title={title}
      action={action}
      pending={change.isPending}
      onClose={() => {
        change.reset()
        onClose()
      }}
      onConfirm={() => change.mutate(input)}
    >
      {children}
      {change.error !== null && <Failure title="It was not done." error={change.error} />}
    </Confirm>
  )
}

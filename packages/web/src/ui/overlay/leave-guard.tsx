import { useBlocker } from '@tanstack/react-router'
import { Confirm } from './dialog.tsx'

interface LeaveGuardProps {
  readonly isDirty: boolean
  /** address = another tab of the same page loses the changes too. */
  readonly guards?: 'page' | 'address'
}

/** Asks before changes that were not saved are left behind, within the page and when the tab is closed. */
export function LeaveGuard({ isDirty, guards = 'page' }: LeaveGuardProps) {
  const { proceed, reset, status } = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isDirty &&
      (current.pathname !== next.pathname ||
        (guards === 'address' && JSON.stringify(current.search) !== JSON.stringify(next.search))),
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  })
  return (
    <Confirm
      isOpen={status === 'blocked'}
      title="Leave without saving?"
      action="Leave"
      onClose={() => reset?.()}
      onConfirm={() => proceed?.()}
    >
      <p>What you changed on this page is lost when you leave it.</p>
    </Confirm>
  )
}

import { Link } from '@tanstack/react-router'
import { Button, buttonStyle } from '../../ui/button.tsx'
import { Empty } from '../../ui/page/page-state.tsx'

/** A list without rows: nothing matches, or nobody has called yet. */
export function FirstCall({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (isFiltered)
    return (
      <Empty title="Nothing matches this filter" actions={<Button onClick={onClear}>Clear filter</Button>}>
        New calls that match appear here as they happen.
      </Empty>
    )
  return (
    <Empty
      title="No calls yet"
      actions={
        <>
          <Link to="/" className={buttonStyle({ variant: 'primary' })}>
            Connect a client
          </Link>
          <Link to="/servers" className={buttonStyle()}>
            Test a server
          </Link>
        </>
      }
    >
      Every call of a client appears here the moment it happens. Connect a client and use a tool, or test a server.
    </Empty>
  )
}

import type { ConnectorView } from '@herma/contract'
import { useNavigate } from '@tanstack/react-router'
import { Copy, Ellipsis, FlaskConical, LogIn, Pencil, RotateCw, ScrollText, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { api } from '../api/client.ts'
import { useMay } from '../api/me.ts'
import { Menu, type MenuItem } from '../ui/overlay/menu.tsx'
import { announce } from '../ui/overlay/toasts.tsx'
import type { ConnectorSearch } from './connector-search.ts'
import { useSignIn } from './sign-in-box.tsx'

interface ConnectorMenuProps {
  readonly view: ConnectorView
  readonly onDelete: () => void
  /** In the list: begins a test there. */
  readonly onTest?: () => void
  readonly onProblem: (problem: { title: string; error: unknown }) => void
  /** On its own page there is no need to go there. */
  readonly isOnPage?: boolean
}

/** What can be done with a connector. */
export function ConnectorMenu({ view, onDelete, onTest, onProblem, isOnPage = false }: ConnectorMenuProps) {
  const { name } = view
  const navigate = useNavigate()
  const [mayEdit, maySignIn] = [useMay('admin'), useMay('member')]
  const signIn = useSignIn(name, (error) => onProblem({ title: `The sign-in to ${name} did not begin.`, error }))
  const open = (search: ConnectorSearch) => void navigate({ to: '/connectors/$name', params: { name }, search })

  async function restart() {
    try {
      await api.updateConnector({ name, body: { enabled: false } })
      await api.updateConnector({ name, body: { enabled: true } })
      announce(`${name} starts anew`)
    } catch (error) {
      onProblem({ title: `Cannot restart ${name}.`, error })
    }
  }

  const items: (MenuItem | false)[] = [
    !isOnPage && item(<Pencil aria-hidden />, mayEdit ? 'Edit' : 'Open', () => open({})),
    mayEdit && onTest !== undefined && item(<FlaskConical aria-hidden />, 'Test', onTest),
    mayEdit && view.enabled && item(<RotateCw aria-hidden />, 'Restart', () => void restart()),
    maySignIn &&
      view.signIn !== null &&
      view.signIn.state !== 'none' &&
      item(<LogIn aria-hidden />, 'Sign in', signIn.start),
    item(<ScrollText aria-hidden />, 'Logs', () => open({ tab: 'logs' })),
    mayEdit &&
      item(<Copy aria-hidden />, 'Duplicate', () => void navigate({ to: '/connectors/new', search: { copy: name } })),
    mayEdit && { ...item(<Trash2 aria-hidden />, 'Delete', onDelete), isDanger: true },
  ]
  return (
    <Menu label={`Actions of ${name}`} items={items.filter((each) => each !== false)}>
      <Ellipsis aria-hidden />
    </Menu>
  )
}

function item(sign: ReactNode, text: string, onSelect: () => void): MenuItem {
  return {
    label: (
      <>
        {sign}
        {text}
      </>
    ),
    onSelect,
  }
}

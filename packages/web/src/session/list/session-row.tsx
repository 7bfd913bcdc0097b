import type { SessionView, ThreadTotals } from '@herma/contract'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Ellipsis, FlaskConical, MessageSquare, Settings2, Trash2 } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { api } from '../../api/client.ts'
import { useMay } from '../../api/me.ts'
import { useChange } from '../../api/use-change.ts'
import { Switch } from '../../ui/form/switch.tsx'
import { count } from '../../ui/format.ts'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { Menu, type MenuItem } from '../../ui/overlay/menu.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { sessionTopics, testSession } from '../change-session.ts'
import { describeSessionHealth } from '../describe-session-health.ts'
import { formatCost } from '../format-cost.ts'
import { describeProvider } from '../provider-kinds.ts'
import { SessionTest } from '../session-test.tsx'
import { DeleteSession } from './delete-session.tsx'

interface SessionRowProps {
  readonly session: SessionView
  readonly totals: ThreadTotals | undefined
  readonly onProblem: (problem: { title: string; error: unknown } | null) => void
}

/** One session in the list. Where the window is narrow, what matters stands below the name. */
export function SessionRow({ session, totals, onProblem }: SessionRowProps) {
  const { name, description } = session
  const mayChange = useMay('admin')
  const { mutate: setEnabled } = useChange({
    send: (enabled: boolean) => api.updateSession({ name, body: { enabled } }),
    topics: sessionTopics,
    done: (_, enabled) => `${name} is ${enabled ? 'enabled' : 'disabled'}`,
  })
  const { tone, text } = describeSessionHealth(session)
  const status = <StatusDot tone={tone}>{text}</StatusDot>
  return (
    <tr className="align-top *:px-2 *:py-2.5">
      <th scope="row" className="pl-4! font-normal">
        <Link
          data-row
          to="/sessions/$name"
          params={{ name }}
          className="rounded-sm font-medium [overflow-wrap:anywhere] hover:underline"
        >
          {name}
        </Link>
        {description !== '' && <p className="line-clamp-2 text-sm text-ink-3">{description}</p>}
        <p className="text-sm [overflow-wrap:anywhere] text-ink-3 md:hidden">{describeProvider(session)}</p>
        <div className="mt-1 text-sm sm:hidden">{status}</div>
      </th>
      <td className="hidden [overflow-wrap:anywhere] text-ink-2 md:table-cell">{describeProvider(session)}</td>
      <td className="hidden sm:table-cell">{status}</td>
      <td className="hidden text-sm text-ink-2 xl:table-cell">
        <span className="line-clamp-2" title={session.offered.join(', ')}>
          {session.offered.join(', ') || 'nothing'}
        </span>
      </td>
      <td className="tnum hidden text-sm text-ink-2 lg:table-cell">{describeTotals(totals)}</td>
      <td className="py-1!">
        <Switch
          isLabelHidden
          label={`${name} is enabled`}
          checked={session.enabled}
          disabled={!mayChange}
          onChange={(enabled) => {
            onProblem(null)
            const title = `Cannot ${enabled ? 'enable' : 'disable'} ${name}.`
            setEnabled(enabled, { onError: (error) => onProblem({ title, error }) })
          }}
        />
      </td>
      <td className="py-1.5! pr-2! text-right">
        <RowMenu session={session} />
      </td>
    </tr>
  )
}

function describeTotals(totals: ThreadTotals | undefined): ReactNode {
  if (totals === undefined) return <span className="text-ink-3">none so far</span>
  const { threads, totalTokens, costUsd } = totals
  return (
    <>
      {count(threads, 'thread')}
      {totalTokens > 0 && <span className="block text-ink-3">{count(totalTokens, 'token')}</span>}
      {costUsd !== null && <span className="block text-ink-3">{formatCost(costUsd)}</span>}
    </>
  )
}

function RowMenu({ session }: { session: SessionView }) {
  const { name } = session
  const navigate = useNavigate()
  const mayChange = useMay('admin')
  const [open, setOpen] = useState<'test' | 'delete' | null>(null)
  const items: MenuItem[] = [
    {
      label: withSign(<MessageSquare aria-hidden />, 'Chat'),
      onSelect: () => void navigate({ to: '/sessions/$name', params: { name } }),
    },
  ]
  if (mayChange)
    items.push(
      {
        label: withSign(<Settings2 aria-hidden />, 'Edit'),
        onSelect: () => void navigate({ to: '/sessions/$name/edit', params: { name } }),
      },
      { label: withSign(<FlaskConical aria-hidden />, 'Test'), onSelect: () => setOpen('test') },
      { label: withSign(<Trash2 aria-hidden />, 'Delete'), isDanger: true, onSelect: () => setOpen('delete') },
    )
  return (
    <>
      <Menu label={`Actions of ${name}`} items={items}>
        <Ellipsis aria-hidden />
      </Menu>
      {open === 'delete' && <DeleteSession session={session} onClose={() => setOpen(null)} />}
      {open === 'test' && <TestDialog name={name} onClose={() => setOpen(null)} />}
    </>
  )
}

function TestDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const { mutate, data, error, isPending } = useMutation({ mutationFn: () => testSession(name) })
  return (
    <Dialog isOpen title={`Test ${name}`} onClose={onClose}>
      <div className="p-4 text-left">
        <SessionTest test={data ?? null} error={error} isRunning={isPending} onRun={() => mutate()} />
      </div>
    </Dialog>
  )
}

function withSign(sign: ReactNode, text: string) {
  return (
    <>
      {sign}
      {text}
    </>
  )
}

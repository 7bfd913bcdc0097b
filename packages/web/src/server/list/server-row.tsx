import type { ServerHealth, ServerView, TestReport } from '@herma/contract'
import { useMutation, type UseMutationResult } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Download, Ellipsis, FlaskConical, Pencil, Power, Trash2 } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useMay } from '../../api/me.ts'
import { useChange } from '../../api/use-change.ts'
import { Badge } from '../../ui/badge.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import { formatAgo, formatMs } from '../../ui/format.ts'
import { Menu, type MenuItem } from '../../ui/overlay/menu.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { serverTopics, setEnabled, testServer, downloadTraces } from '../change-server.ts'
import { DeleteServer } from '../delete-server.tsx'
import { canBeDisabled, describeHealth, kindTexts } from '../describe-server.ts'

interface ServerRowProps {
  readonly server: ServerView
  readonly health: ServerHealth | undefined
  readonly onProblem: (problem: { title: string; error: unknown } | null) => void
}

/** One server in the list. Where the window is narrow, what matters stands below the name. */
export function ServerRow({ server, health, onProblem }: ServerRowProps) {
  const { name, kind } = server
  // Nobody described those that come with the hub.
  const description = server.description || (canBeDisabled(server) ? '' : kindTexts[kind].meaning)
  const toggle = useToggle(server, onProblem)
  const test = useMutation({ mutationFn: () => testServer(name) })
  const { tone, text } = describeHealth(health)
  const status = (
    <>
      <StatusDot tone={tone}>{text}</StatusDot>
      <TestOutcome name={name} test={test} />
    </>
  )
  return (
    <tr className="align-top *:px-2 *:py-2.5">
      <th scope="row" className="pl-4! font-normal">
        <Link
          data-row
          to="/servers/$name"
          params={{ name }}
          className="rounded-sm font-medium [overflow-wrap:anywhere] hover:underline"
        >
          {name}
        </Link>
        {description !== '' && <p className="line-clamp-2 text-sm text-ink-3">{description}</p>}
        <p className="text-sm text-ink-3 md:hidden">
          {kindTexts[kind].label}, {describeTools(server)}
        </p>
        <div className="mt-1 text-sm sm:hidden">{status}</div>
      </th>
      <td className="hidden md:table-cell">{kindTexts[kind].label}</td>
      <td className="hidden md:table-cell">
        <Transports server={server} />
      </td>
      <td className="tnum hidden text-right md:table-cell">{server.tools ?? '–'}</td>
      <td className="hidden text-ink-2 lg:table-cell">{formatAgo(server.lastHandshake)}</td>
      <td className="hidden sm:table-cell">{status}</td>
      <td className="py-1!">
        {canBeDisabled(server) ? (
          <Switch
            isLabelHidden
            label={`${name} is enabled`}
            checked={toggle.isOn}
            disabled={!toggle.isAllowed}
            onChange={toggle.run}
          />
        ) : (
          <span className="block py-1.5 text-sm text-ink-3">Always</span>
        )}
      </td>
      <td className="py-1.5! pr-2! text-right">
        <RowMenu server={server} onToggle={toggle.run} onTest={() => test.mutate()} />
      </td>
    </tr>
  )
}

function useToggle(server: ServerView, onProblem: ServerRowProps['onProblem']) {
  const isAllowed = useMay('admin')
  const { mutate, isPending, variables } = useChange({
    send: (enabled: boolean) => setEnabled(server, enabled),
    topics: serverTopics,
    done: (_, enabled) => `${server.name} is ${enabled ? 'enabled' : 'disabled'}`,
  })
  const run = (enabled: boolean) => {
    const title = `Cannot ${enabled ? 'enable' : 'disable'} ${server.name}.`
    onProblem(null)
    mutate(enabled, { onError: (error) => onProblem({ title, error }) })
  }
  // The switch stays where it was put until the hub tells how it is.
  return { isAllowed, run, isOn: isPending ? variables : server.enabled }
}

interface RowMenuProps {
  readonly server: ServerView
  readonly onToggle: (enabled: boolean) => void
  readonly onTest: () => void
}

function RowMenu({ server, onToggle, onTest }: RowMenuProps) {
  const { name, enabled } = server
  const navigate = useNavigate()
  const mayChange = useMay('admin')
  const [isDeleting, setDeleting] = useState(false)
  const open = () => void navigate({ to: '/servers/$name', params: { name } })
  const items: MenuItem[] = [{ label: withSign(<Pencil aria-hidden />, mayChange ? 'Edit' : 'Open'), onSelect: open }]
  if (mayChange) {
    items.push({ label: withSign(<FlaskConical aria-hidden />, 'Test'), onSelect: onTest })
    if (canBeDisabled(server))
      items.push({
        label: withSign(<Power aria-hidden />, enabled ? 'Disable' : 'Enable'),
        onSelect: () => onToggle(!enabled),
      })
    items.push({
      label: withSign(<Download aria-hidden />, 'Download logs'),
      onSelect: () => void downloadTraces(name),
    })
    if (server.kind === 'team' || server.kind === 'custom')
      items.push({
        label: withSign(<Trash2 aria-hidden />, 'Delete'),
        isDanger: true,
        onSelect: () => setDeleting(true),
      })
  }
  return (
    <>
      <Menu label={`Actions of ${name}`} items={items}>
        <Ellipsis aria-hidden />
      </Menu>
      {isDeleting && <DeleteServer server={server} onClose={() => setDeleting(false)} />}
    </>
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

/** What came of a test that was begun from the list. */
function TestOutcome({ name, test }: { name: string; test: UseMutationResult<TestReport, Error, void> }) {
  const details = (
    <Link to="/servers/$name" params={{ name }} search={{ tab: 'diagnostics' }} className="underline">
      Details
    </Link>
  )
  const ms = test.data?.stages.reduce((sum, stage) => sum + stage.ms, 0)
  return (
    <output className="block text-sm">
      {test.isPending && <span className="text-ink-3">Testing…</span>}
      {test.data?.ok === true && <span className="text-ok">The test passed in {formatMs(ms)}.</span>}
      {test.data?.ok === false && (
        <span className="text-bad">
          The test failed: {test.data.cause} {details}
        </span>
      )}
      {test.error !== null && <span className="text-bad">{test.error.message}</span>}
    </output>
  )
}

function Transports({ server: { sse, connector } }: { server: ServerView }) {
  return (
    <span className="flex flex-wrap items-center gap-1">
      <Badge>stream</Badge>
      {sse && <Badge>sse</Badge>}
      {connector !== null && (
        <span className="w-full truncate text-sm text-ink-3" title={`Hosts the connector ${connector}`}>
          hosts{' '}
          <Link to="/connectors/$name" params={{ name: connector }} className="underline">
            {connector}
          </Link>
        </span>
      )}
    </span>
  )
}

function describeTools({ tools }: ServerView): string {
  return tools === null ? 'tools not known yet' : `${tools} ${tools === 1 ? 'tool' : 'tools'}`
}

import type { ConnectorUses, ConnectorView, LatencyLine } from '@herma/contract'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useMay } from '../../api/me.ts'
import { useChange } from '../../api/use-change.ts'
import { Badge } from '../../ui/badge.tsx'
import { Sparkline } from '../../ui/chart/sparkline.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import { formatAgo, formatMs } from '../../ui/format.ts'
import { StatusDot } from '../../ui/status-dot.tsx'
import { ConnectorMenu } from '../connector-menu.tsx'
import { DeleteConnector } from '../delete-connector.tsx'
import { describeHealth } from '../describe-health.ts'
import type { ListTest } from './use-list-tests.ts'

interface ConnectorRowProps {
  readonly view: ConnectorView
  readonly uses: ConnectorUses | undefined
  readonly latency: LatencyLine | undefined
  readonly test: ListTest | undefined
  readonly onTest: () => void
  readonly onProblem: (problem: { title: string; error: unknown } | null) => void
}

/** One connector in the list. */
export function ConnectorRow({ view, uses, latency, test, onTest, onProblem }: ConnectorRowProps) {
  const { name, description, transport, counts } = view
  const [isDeleting, setDeleting] = useState(false)
  const mayChange = useMay('admin')
  const { tone, text } = describeHealth(view)
  const status = (
    <>
      <StatusDot tone={tone}>
        <span className="line-clamp-2" title={text}>
          {text}
        </span>
      </StatusDot>
      <TestOutcome test={test} />
    </>
  )
  const toggle = useToggle(view, onProblem)
  return (
    <tr className="align-top *:px-2 *:py-2.5">
      <th scope="row" className="pl-4! font-normal">
        <Link
          data-row
          to="/connectors/$name"
          params={{ name }}
          className="rounded-sm font-medium [overflow-wrap:anywhere] hover:underline"
        >
          {name}
        </Link>
        {description !== '' && <p className="line-clamp-1 text-sm text-ink-3">{description}</p>}
        <div className="mt-1 text-sm sm:hidden">{status}</div>
      </th>
      <td className="hidden sm:table-cell">{status}</td>
      <td className="hidden md:table-cell">
        <Badge>{transport}</Badge>
      </td>
      <td className="tnum hidden text-right md:table-cell">{counts.tools}</td>
      <td className="hidden lg:table-cell">
        <Latency name={name} line={latency} />
      </td>
      <td className="hidden text-sm text-ink-2 xl:table-cell">
        <UsedBy uses={uses} />
      </td>
      <td className="hidden text-sm lg:table-cell">
        <LastTest view={view} />
      </td>
      <td className="py-1!">
        <Switch
          isLabelHidden
          label={`${name} is enabled`}
          checked={toggle.isOn}
          disabled={!mayChange}
          onChange={toggle.run}
        />
      </td>
      <td className="py-1.5! pr-2!">
        <div className="flex justify-end">
          <ConnectorMenu view={view} onTest={onTest} onDelete={() => setDeleting(true)} onProblem={onProblem} />
        </div>
        {isDeleting && <DeleteConnector name={name} onClose={() => setDeleting(false)} />}
      </td>
    </tr>
  )
}

/** The switch shows at once what was asked for, until the hub says how it is. */
function useToggle({ name, enabled: isEnabled }: ConnectorView, onProblem: ConnectorRowProps['onProblem']) {
  const { mutate, isPending, variables } = useChange({
    send: (enabled: boolean) => api.updateConnector({ name, body: { enabled } }),
    topics: ['connectors', 'catalog'],
    done: (_, enabled) => `${name} is turned ${enabled ? 'on' : 'off'}`,
  })
  const run = (enabled: boolean) => {
    onProblem(null)
    mutate(enabled, {
      onError: (error) => onProblem({ title: `Cannot turn ${name} ${enabled ? 'on' : 'off'}.`, error }),
    })
  }
  return { isOn: isPending ? variables : isEnabled, run }
}

/** What came of a test that was begun from the list. */
function TestOutcome({ test }: { test: ListTest | undefined }) {
  if (test === undefined) return null
  if (test.state === 'running') return <p className="text-sm text-ink-3">Testing…</p>
  return (
    <p className={`line-clamp-3 text-sm [overflow-wrap:anywhere] ${test.ok ? 'text-ok' : 'text-bad'}`}>{test.text}</p>
  )
}

function Latency({ name, line }: { name: string; line: LatencyLine | undefined }) {
  if (line === undefined || line.count === 0) return <p className="text-right text-ink-3">–</p>
  return (
    <span className="flex items-center justify-end gap-2">
      <Sparkline values={line.spark} label={`Calls of ${name} in the last hour`} />
      <span className="tnum w-16 text-right whitespace-nowrap">{formatMs(line.p95)}</span>
    </span>
  )
}

function UsedBy({ uses }: { uses: ConnectorUses | undefined }) {
  const links = [
    ...(uses?.servers ?? []).map((name) => ({ name, to: '/servers/$name' as const })),
    ...(uses?.sessions ?? []).map((name) => ({ name, to: '/sessions/$name' as const })),
  ]
  const aggregates = uses?.aggregates ?? []
  if (links.length + aggregates.length === 0) return <span className="text-ink-3">–</span>
  return (
    <span className="line-clamp-2">
      {links.map(({ name, to }, index) => (
        <span key={to + name}>
          {index > 0 && ', '}
          <Link to={to} params={{ name }} className="hover:underline">
            {name}
          </Link>
        </span>
      ))}
      {aggregates.length > 0 && `${links.length > 0 ? ', ' : ''}${aggregates.join(', ')}`}
    </span>
  )
}

function LastTest({ view: { lastTest } }: { view: ConnectorView }) {
  if (lastTest === null) return <span className="text-ink-3">never</span>
  return (
    <span
      className={lastTest.ok ? 'text-ink-2' : 'text-bad'}
      {...(lastTest.cause !== null && { title: lastTest.cause })}
    >
      {formatAgo(lastTest.at)}
      {!lastTest.ok && ', failed'}
    </span>
  )
}

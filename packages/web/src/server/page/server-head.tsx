import type { ServerView, TeamView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Download, Ellipsis, Plug, Trash2, UsersRound } from 'lucide-react'
import { useState } from 'react'
import { useChange } from '../../api/use-change.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBox } from '../../ui/code-box.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import { count, formatAgo } from '../../ui/format.ts'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { Menu, type MenuItem } from '../../ui/overlay/menu.tsx'
import { Failure } from '../../ui/page/page-state.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { serverTopics, setEnabled, downloadTraces } from '../change-server.ts'
import { ConnectClients } from '../connect-clients.tsx'
import { DeleteServer } from '../delete-server.tsx'
import { canBeDisabled, clientName, describeHealth, sessionOf } from '../describe-server.ts'
import { serverHealthQuery } from '../servers-query.ts'
import type { TabId } from './server-tabs.tsx'

interface ServerHeadProps {
  readonly server: ServerView
  readonly team: TeamView | undefined
  readonly onOpen: (tab: TabId) => void
}

/** Where a server is and how it is, whatever tab is open. */
export function ServerHead({ server, team, onOpen }: ServerHeadProps) {
  const health = useQuery(serverHealthQuery).data?.get(server.name)
  const isEmptyTeam = team !== undefined && team.members.length === 0
  const { tone, text } = isEmptyTeam && team.enabled ? noMembers : describeHealth(health)
  const session = sessionOf(server)
  const busy = (health?.inFlight ?? 0) > 0 ? `, ${count(health!.inFlight, 'call')} under way` : ''
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-x-6 gap-y-2 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)] lg:items-center">
      <CodeBox label="the address" text={location.origin + server.path} />
      <div className="min-w-0 text-sm">
        <StatusDot tone={tone}>
          {text}
          {isEmptyTeam && (
            <>
              {' '}
              <Button size="sm" className="ml-1" onClick={() => onOpen('routing')}>
                <UsersRound aria-hidden />
                Add members
              </Button>
            </>
          )}
        </StatusDot>
        <p className="pl-4 text-ink-3">
          Last handshake: {formatAgo(server.lastHandshake)}
          {busy}
          {session !== null && (
            <>
              {'. '}
              <Link to="/sessions/$name" params={{ name: session }} className="underline">
                Open the session
              </Link>
            </>
          )}
        </p>
      </div>
    </div>
  )
}

const noMembers = { tone: 'warn', text: 'Nobody answers yet: the team has no members.' } as const

interface ServerActionsProps {
  readonly server: ServerView
  readonly mayChange: boolean
  readonly onTest: () => void
}

/** What can be done with a server at any time. */
export function ServerActions({ server, mayChange, onTest }: ServerActionsProps) {
  const { name, kind, enabled } = server
  const navigate = useNavigate()
  const [open, setOpen] = useState<'connect' | 'delete' | null>(null)
  const toggle = useChange({
    send: (next: boolean) => setEnabled(server, next),
    topics: serverTopics,
    done: (_, next) => `${name} is ${next ? 'enabled' : 'disabled'}`,
  })
  const items: MenuItem[] = [
    {
      label: (
        <>
          <Download aria-hidden /> Download logs
        </>
      ),
      onSelect: () => void downloadTraces(name),
    },
  ]
  if (kind === 'team' || kind === 'custom')
    items.push({
      label: (
        <>
          <Trash2 aria-hidden /> Delete
        </>
      ),
      isDanger: true,
      onSelect: () => setOpen('delete'),
    })
  const needsKey = server.access === 'required'
  return (
    <>
      {mayChange && canBeDisabled(server) && (
        <Switch
          label="Enabled"
          checked={toggle.isPending ? toggle.variables : enabled}
          onChange={(next) => toggle.mutate(next)}
        />
      )}
      {/* Where there is little room, the button in the bar below stands for it. */}
      {mayChange && (
        <Button className="max-sm:hidden" onClick={onTest}>
          Test connection
        </Button>
      )}
      <Button variant="primary" onClick={() => setOpen('connect')}>
        <Plug aria-hidden />
        <span>
          Connect<span className="max-sm:sr-only"> a client</span>
        </span>
      </Button>
      {mayChange && (
        <Menu label="More actions" items={items}>
          <Ellipsis aria-hidden />
        </Menu>
      )}
      {toggle.error !== null && <Failure title="It was not switched." error={toggle.error} />}
      <Dialog
        isOpen={open === 'connect'}
        onClose={() => setOpen(null)}
        title={`Connect a client to ${name}`}
        hint={needsKey ? 'Put a key of this server in place of <your key>. Make one under Access.' : undefined}
      >
        <ConnectClients
          endpoint={location.origin + server.path}
          name={clientName(name)}
          keyHeader={needsKey ? server.keyHeader : undefined}
        />
      </Dialog>
      {open === 'delete' && (
        <DeleteServer
          server={server}
          onClose={() => setOpen(null)}
          onDeleted={() => void navigate({ to: '/servers', ignoreBlocker: true })}
        />
      )}
    </>
  )
}

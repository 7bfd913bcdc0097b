import type { SessionView } from '@herma/contract'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { CodeBox } from '../../ui/code-box.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { describeSessionHealth } from '../describe-session-health.ts'
import { describeProvider } from '../provider-kinds.ts'

const approvals = {
  never: 'Uses its tools without asking.',
  writes: 'Asks before it changes something.',
  always: 'Asks before every tool.',
} as const

/** What a session is and what it can reach. */
export function SessionFacts({ session }: { session: SessionView }) {
  const { tone, text } = describeSessionHealth(session)
  return (
    <dl className="grid grid-cols-[minmax(0,1fr)] gap-3.5">
      <Fact name="Status">
        <StatusDot tone={tone}>{text}</StatusDot>
      </Fact>
      <Fact name="Model">{describeProvider(session)}</Fact>
      <Fact name="Folder">
        {session.workingDir === null ? (
          'None: files are out of reach.'
        ) : (
          <span className="font-mono text-sm">{session.workingDir}</span>
        )}
      </Fact>
      <Fact name="Connectors">
        {session.bindings.length === 0 ? (
          <>
            None.{' '}
            <Link to="/bindings" className="text-accent-text underline">
              Attach some
            </Link>
          </>
        ) : (
          <Names>
            {session.bindings.map((connector) => (
              <Link
                key={connector}
                to="/bindings"
                search={{ session: session.name, connector }}
                className="text-accent-text underline"
              >
                {connector}
              </Link>
            ))}
          </Names>
        )}
      </Fact>
      <Fact name="Tools">{approvals[session.tools.approval]}</Fact>
      {session.teams.length > 0 && (
        <Fact name="Member of">
          <Names>
            {session.teams.map((team) => (
              <Link key={team} to="/servers/$name" params={{ name: team }} className="text-accent-text underline">
                {team}
              </Link>
            ))}
          </Names>
        </Fact>
      )}
      <Fact name="Offers as a server">
        {session.offered.length === 0 ? (
          'Nothing.'
        ) : (
          <Names>
            {session.offered.map((ability) => (
              <Badge key={ability}>{ability}</Badge>
            ))}
          </Names>
        )}
      </Fact>
      <Fact name="Address for MCP clients">
        <CodeBox text={location.origin + session.path} label="the address of the session" />
      </Fact>
      <Fact name="Address for OpenAI clients">
        <CodeBox text={location.origin + session.openaiPath} label="the OpenAI-compatible address" />
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1">
      <dt className="text-sm text-ink-3">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </div>
  )
}

function Names({ children }: { children: ReactNode }) {
  return <span className="flex flex-wrap gap-x-2 gap-y-1">{children}</span>
}

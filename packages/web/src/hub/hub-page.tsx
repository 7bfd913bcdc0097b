import { ConnectorTable } from '../connector/connector-table.tsx'
import { describeHealth } from '../connector/describe-health.ts'
import { Brand } from '../ui/brand.tsx'
import { CodeBox } from '../ui/code-box.tsx'
import { StatusDot } from '../ui/status-dot.tsx'
import { ConnectClients } from './connect-clients.tsx'
import { FirstSteps } from './first-steps.tsx'
import { Remarks } from './remarks.tsx'
import { SignIn } from './sign-in.tsx'
import { useHub, type HubData, type HubState } from './use-hub.ts'

/** The first page: is the hub well, how do clients connect, which connectors serve. */
export function HubPage() {
  const { data, failure, needsSignIn } = useHub()
  return (
    <>
      <Header data={data} failure={failure} needsSignIn={needsSignIn} />
      <main className="mx-auto w-full max-w-[1180px] px-3 pt-5 pb-12 sm:px-6">
        <h1 className="text-2xl font-semibold tracking-tight">Hub</h1>
        {failure !== null && <HubAway failure={failure} isStale={data !== null} />}
        {needsSignIn && <SignIn />}
        {data === null ? (
          failure === null && !needsSignIn && <p className="mt-1 text-ink-2">Asking the hub…</p>
        ) : (
          <Overview data={data} />
        )}
      </main>
    </>
  )
}

function Header({ data, failure }: HubState) {
  return (
    <header className="border-b border-line">
      <div className="mx-auto flex min-h-12 max-w-[1180px] flex-wrap items-center justify-between gap-x-4 gap-y-1 px-3 py-2 sm:px-6">
        <Brand />
        <output className="text-sm">
          {failure !== null && <StatusDot tone="bad">The hub is away</StatusDot>}
          {failure === null && data !== null && (
            <StatusDot tone="ok">
              {new URL(data.status.endpoint).host}, version {data.status.version}
            </StatusDot>
          )}
        </output>
      </div>
    </header>
  )
}

function Overview({ data }: { data: HubData }) {
  const { status, connectors } = data
  const isEmpty = connectors.length === 0
  return (
    <>
      <p className="mt-1 text-ink-2">
        {isEmpty ? 'It is running and waits for its first connector.' : summarize(data)}
      </p>
      <Remarks status={status} />
      {isEmpty ? <FirstSteps /> : <ConnectorTable connectors={connectors} />}
      <ConnectClients endpoint={status.endpoint} />
    </>
  )
}

function HubAway({ failure, isStale }: { failure: string; isStale: boolean }) {
  return (
    <div role="alert" className="mt-4 grid grid-cols-[minmax(0,1fr)] gap-2 rounded-lg bg-bad-soft p-4">
      <p className="font-medium text-bad">The hub does not answer.</p>
      <p>
        {failure} This page tries again every few seconds.{isStale && ' Below is what it said last.'}
      </p>
      <p>If it does not come back by itself, look and start it:</p>
      <CodeBox text={'npx herma status\nnpm start'} label="the commands" />
    </div>
  )
}

function summarize({ status, connectors }: HubData): string {
  const { counts, connections, inFlight } = status
  const sick = connectors.filter((connector) => describeHealth(connector).needsAttention).length
  const attention = sick === 0 ? 'all well' : `${sick} need${sick === 1 ? 's' : ''} attention`
  const clients = `${count(connections, 'client connection')}, ${count(inFlight, 'call')} under way.`
  return `${count(counts.connectors, 'connector')}, ${attention}, ${count(counts.tools, 'tool')}. ${clients}`
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

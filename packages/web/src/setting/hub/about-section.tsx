import { apiPath } from '@herma/contract/client'
import { useStatus } from '../../api/queries.ts'
import { Card } from '../../ui/card.tsx'
import { count, formatAgo, formatBytes, formatTime } from '../../ui/format.ts'
import { Loaded } from '../../ui/page/page-state.tsx'
import { Facts } from '../../ui/rows.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'

const links = [
  ['/healthz', 'Is it running'],
  ['/readyz', 'Is it ready'],
  ['/metrics', 'Figures for Prometheus'],
  [apiPath('getOpenApi'), 'Description of the API'],
] as const

/** Which hub this is and how it does. */
export function AboutSection() {
  const status = useStatus()
  return (
    <Card title="About" hint="Herma, one MCP endpoint for all of your servers.">
      <Loaded query={status} what="the hub itself">
        {(hub) => (
          <>
            <Facts
              facts={[
                ['Version', hub.version],
                [
                  'Endpoint',
                  <code key="endpoint" className="font-mono text-sm">
                    {hub.endpoint}
                  </code>,
                ],
                ['Running since', `${formatTime(hub.startedAt)} (${formatAgo(hub.startedAt)})`],
                ['Memory', formatBytes(hub.rssBytes)],
                [
                  'Database',
                  <StatusDot key="store" tone={hub.store.healthy ? 'ok' : 'bad'}>
                    {hub.store.kind}, {hub.store.healthy ? 'answers' : 'does not answer'}
                  </StatusDot>,
                ],
                [
                  'Serving',
                  `${count(hub.counts.tools, 'tool')} of ${count(hub.counts.connectors, 'connector')}, to ${count(hub.connections, 'connection')}`,
                ],
                [
                  'State home',
                  <code key="home" className="font-mono text-sm">
                    {hub.stateHome}
                  </code>,
                ],
                ['Licence', 'Apache-2.0'],
              ]}
            />
            <div className="flex flex-wrap gap-x-4 gap-y-2 border-t border-line px-4 py-3 text-sm">
              {links.map(([href, label]) => (
                <a key={href} href={href} className="underline underline-offset-2">
                  {label}
                </a>
              ))}
            </div>
          </>
        )}
      </Loaded>
    </Card>
  )
}

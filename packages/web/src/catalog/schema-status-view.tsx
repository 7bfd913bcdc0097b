import type { SchemaAdaptation, SchemaStatus } from '@herma/contract'
import { StatusDot } from '../ui/status-dot.tsx'

const texts: Record<SchemaAdaptation['kind'], string> = {
  legal: 'No revision of MCP allows the tool as its server wrote it, so all clients get it with these changes:',
  output: 'The server was seen to answer otherwise than its output schema says, so clients are not promised that:',
  plain: 'These clients are made with a library that refuses the whole list otherwise, and get:',
  strict: 'These clients take simple schemas only, and get them rewritten. The server gets what it expects:',
}

interface Props {
  readonly status: SchemaStatus
  readonly adaptations: readonly SchemaAdaptation[]
}

/** Which clients get something else than the server wrote, and what. */
export function SchemaStatusView({ status, adaptations }: Props) {
  return (
    <section aria-label="Schema for strict clients" className="grid grid-cols-[minmax(0,1fr)] gap-1 text-sm">
      {adaptations.length === 0 && <StatusDot tone="ok">All clients get the schemas as they are.</StatusDot>}
      {adaptations.map(({ kind, clients, changes }) => (
        <div key={kind} className="grid grid-cols-[minmax(0,1fr)] gap-1">
          <StatusDot tone={kind === 'output' && status.state === 'adapted' ? 'warn' : 'ok'}>{texts[kind]}</StatusDot>
          {clients.length > 0 && <p className="ml-4 font-mono text-ink-2">{clients.join(' ')}</p>}
          <ul className="ml-4 list-disc pl-1 text-ink-2">
            {changes.map(({ path, what }) => (
              <li key={`${path} ${what}`} className="[overflow-wrap:anywhere]">
                <code className="font-mono">{path}</code> {what}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}

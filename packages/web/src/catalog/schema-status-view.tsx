import type { SchemaStatus } from '@herma/contract'
import { StatusDot } from '../ui/status-dot.tsx'

const texts: Record<SchemaStatus['state'], string> = {
  original: 'The schemas suit strict clients as they are.',
  normalised: 'The schemas are rewritten for clients that take only simple ones. The server gets what it expects.',
  adapted: 'The server was seen to answer otherwise than its output schema says, so clients are not promised that.',
}

/** How the schemas that clients get relate to those of the server. */
export function SchemaStatusView({ status: { state, changes } }: { status: SchemaStatus }) {
  return (
    <section aria-label="Schema for strict clients" className="grid grid-cols-[minmax(0,1fr)] gap-1 text-sm">
      <StatusDot tone={state === 'adapted' ? 'warn' : 'ok'}>{texts[state]}</StatusDot>
      {changes.length > 0 && (
        <ul className="ml-4 list-disc pl-1 text-ink-2">
          {changes.map(({ path, what }) => (
            <li key={`${path} ${what}`} className="[overflow-wrap:anywhere]">
              <code className="font-mono">{path}</code> {what}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

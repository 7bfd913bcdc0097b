import type { IsolationView } from '@herma/contract'

/** What the process of a server is kept from, and what it may touch. */
export function Touches({ touches, title }: { touches: IsolationView; title: string }) {
  return (
    <section aria-label={title} className="grid gap-2 rounded-lg border border-line bg-surface p-3 text-sm">
      <Lines label="Isolated" lines={touches.isolated} />
      <Lines label="Not isolated" lines={touches.open} />
    </section>
  )
}

function Lines({ label, lines }: { label: string; lines: readonly string[] }) {
  if (lines.length === 0) return null
  return (
    <div className="grid gap-0.5">
      <p className="font-medium">{label}</p>
      <ul aria-label={label} className="grid gap-0.5 text-ink-2 [overflow-wrap:anywhere]">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  )
}

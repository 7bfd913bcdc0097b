import type { FieldDifference, ScanFinding, Severity } from '@herma/contract'
import { Badge, type BadgeTone } from '../ui/badge.tsx'

const kinds = { added: 'added', removed: 'removed', changed: 'changed' } as const
const severityTones: Record<Severity, BadgeTone> = { info: 'neutral', warning: 'warn', danger: 'bad' }

/** Where two states of a tool differ: what went with −, what came with +. */
export function DifferenceList({ differences }: { differences: readonly FieldDifference[] }) {
  return (
    <ul className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {differences.map(({ path, kind, before, after, hunks }) => (
        <li key={path} className="grid grid-cols-[minmax(0,1fr)] gap-1">
          <p className="flex flex-wrap items-center gap-2">
            <code className="font-mono text-sm [overflow-wrap:anywhere]">{path}</code>
            <span className="text-sm text-ink-3">{kinds[kind]}</span>
          </p>
          {hunks === undefined ? (
            <Lines before={before} after={after} />
          ) : (
            hunks.map((hunk) => (
              <div key={hunk.line} className="grid grid-cols-[minmax(0,1fr)]">
                <span className="text-xs text-ink-3">Line {hunk.line}</span>
                <Lines before={hunk.before} after={hunk.after} />
              </div>
            ))
          )}
        </li>
      ))}
    </ul>
  )
}

function Lines({ before, after }: { before: unknown; after: unknown }) {
  const sides = [
    { lines: linesOf(before), sign: '−', word: 'removed', className: 'bg-bad-soft' },
    { lines: linesOf(after), sign: '+', word: 'added', className: 'bg-ok-soft' },
  ]
  return (
    <div className="overflow-hidden rounded-md border border-line font-mono text-sm">
      {sides.flatMap(({ lines, sign, word, className }) =>
        lines.map((line, index) => (
          <p key={`${word}${index}`} className={`flex gap-2 px-2 py-0.5 ${className}`}>
            <span className="shrink-0 select-none">
              <span aria-hidden>{sign}</span>
              <span className="sr-only">{word}: </span>
            </span>
            <span className="min-w-0 [overflow-wrap:anywhere] whitespace-pre-wrap">{line}</span>
          </p>
        )),
      )}
    </div>
  )
}

function linesOf(value: unknown): string[] {
  if (value === undefined) return []
  return (typeof value === 'string' ? value : JSON.stringify(value, null, 2)).split('\n')
}

/** What the scan found in the words of a server. */
export function FindingList({ findings }: { findings: readonly ScanFinding[] }) {
  return (
    <ul className="grid grid-cols-[minmax(0,1fr)] gap-2" aria-label="Findings of the scan">
      {findings.map(({ rule, severity, path, excerpt, message }) => (
        <li key={`${rule}${path}${excerpt}`} className="grid grid-cols-[minmax(0,1fr)] gap-1 text-sm">
          <p className="flex flex-wrap items-center gap-2">
            <Badge tone={severityTones[severity]}>{severity}</Badge>
            <span className="min-w-0 [overflow-wrap:anywhere]">{message}</span>
            <code className="font-mono text-xs text-ink-3 [overflow-wrap:anywhere]">{path}</code>
          </p>
          <q className="rounded-md bg-well px-2 py-1 font-mono text-ink-2 [overflow-wrap:anywhere] [quotes:none]">
            {excerpt}
          </q>
        </li>
      ))}
    </ul>
  )
}

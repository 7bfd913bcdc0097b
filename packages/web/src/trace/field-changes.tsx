import type { FieldDifference } from './compare-fields.ts'

interface FieldChangesProps {
  readonly differences: readonly FieldDifference[]
  /** Stands for a value as a whole: 'the result'. */
  readonly what: string
  readonly names?: readonly [string, string]
}

const maxText = 2000

/** Where two values differ, one field below the other. */
export function FieldChanges({ differences, what, names = ['Then', 'Now'] }: FieldChangesProps) {
  if (differences.length === 0) return <p className="text-ink-2">The same.</p>
  return (
    <ul className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {differences.map(({ path, before, after }) => (
        <li key={path} className="grid grid-cols-[minmax(0,1fr)] gap-1">
          <code className="font-mono text-sm [overflow-wrap:anywhere]">{path === '' ? what : path}</code>
          <dl className="grid grid-cols-[3.5rem_minmax(0,1fr)] gap-x-2 gap-y-1 text-sm">
            <Side name={names[0]} value={before} sign="−" className="bg-bad-soft" />
            <Side name={names[1]} value={after} sign="+" className="bg-ok-soft" />
          </dl>
        </li>
      ))}
    </ul>
  )
}

function Side({ name, value, sign, className }: { name: string; value: unknown; sign: string; className: string }) {
  return (
    <>
      <dt className="py-1 text-ink-3">{name}</dt>
      <dd className={`rounded-sm px-2 py-1 font-mono [overflow-wrap:anywhere] whitespace-pre-wrap ${className}`}>
        <span aria-hidden>{sign} </span>
        {value === undefined ? <span className="font-sans text-ink-2">not there</span> : showValue(value)}
      </dd>
    </>
  )
}

function showValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return text.length > maxText ? `${text.slice(0, maxText)} …` : text
}

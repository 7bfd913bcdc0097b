import type { SessionInput } from '@herma/contract'
import { Card } from '../../ui/card.tsx'
import { toPatch } from './field/session-draft.ts'

interface SessionChangesProps {
  readonly now: SessionInput
  /** Null for a new session. */
  readonly before: SessionInput | null
  /** Names of the secrets that get a value. */
  readonly secrets: readonly string[]
}

const maxShown = 240

/** What saving will change. */
export function SessionChanges({ now, before, secrets }: SessionChangesProps) {
  if (before === null) return null
  const changes = Object.keys(toPatch(now, before)).flatMap((field) =>
    listLeaves(field, before[field as keyof SessionInput], now[field as keyof SessionInput]),
  )
  return (
    <Card title="Changes">
      {changes.length === 0 && secrets.length === 0 ? (
        <p className="px-4 py-3 text-ink-3">Nothing is changed.</p>
      ) : (
        <dl className="grid grid-cols-[minmax(0,1fr)] gap-2.5 px-4 py-3 text-sm">
          {changes.map((change) => (
            <div key={change.field} className="grid grid-cols-[minmax(0,1fr)]">
              <dt className="font-mono font-medium">{change.field}</dt>
              {change.field === 'instructions' ? (
                <dd className="text-ink-2">another text</dd>
              ) : (
                <>
                  <dd className="[overflow-wrap:anywhere]">
                    <span className="sr-only">before: </span>
                    <del className="text-ink-3">{show(change.before)}</del>
                  </dd>
                  <dd className="[overflow-wrap:anywhere]">
                    <span className="sr-only">after: </span>
                    <ins className="text-ink no-underline">{show(change.after)}</ins>
                  </dd>
                </>
              )}
            </div>
          ))}
          {secrets.map((name) => (
            <div key={name}>
              <dt className="font-mono font-medium">{name}</dt>
              <dd className="text-ink-2">a new value, stored encrypted</dd>
            </div>
          ))}
        </dl>
      )}
    </Card>
  )
}

interface Change {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

/** Of settings that hold others only those that differ. */
function listLeaves(field: string, before: unknown, after: unknown): Change[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  if (!isGroup(before) || !isGroup(after)) return [{ field, before, after }]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => listLeaves(`${field}.${name}`, before[name], after[name]))
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function show(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'not set'
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(', ') || 'none'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text
}

import type { EffectiveValue } from '@herma/contract'
import { Lock } from 'lucide-react'
import { Badge } from '../ui/badge.tsx'
import { cn } from '../ui/cn.ts'

interface EffectiveTableProps {
  /** With what is in the form. */
  readonly now: readonly EffectiveValue[]
  /** As it is; null while it is not attached. */
  readonly saved: readonly EffectiveValue[] | null
  /** Whether the session has a connection or process of its own there. */
  readonly hasOwn: boolean
}

/** Every value that holds for the session at the connector, and who said so. */
export function EffectiveTable({ now, saved, hasOwn }: EffectiveTableProps) {
  const before = new Map(saved?.map((value) => [value.field, value]))
  const isEdited = saved !== null && JSON.stringify(now) !== JSON.stringify(saved)
  return (
    <section aria-labelledby="effective" className="min-w-0">
      <h3 id="effective" className="text-sm font-medium">
        In effect
      </h3>
      <p className="mb-2 text-sm text-ink-3">
        {saved === null
          ? 'As it will be once it is attached.'
          : isEdited
            ? 'As it will be once you save.'
            : 'As it is now.'}
        {hasOwn && ' The session has a connection of its own, because of what differs.'}
      </p>
      <table className="w-full table-fixed text-left text-sm">
        <caption className="sr-only">Values in effect and their source</caption>
        <thead className="text-ink-3">
          <tr className="border-b border-line *:py-1.5 *:font-medium">
            <th scope="col" className="w-[52%]">
              Setting
            </th>
            <th scope="col">Value</th>
            <th scope="col" className="w-20">
              From
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {now.toSorted(bySource).map((value) => {
            const isChanged = saved !== null && !isSame(value, before.get(value.field))
            return (
              <tr key={value.field} className={cn('align-top *:py-1.5 *:pr-2', isChanged && 'bg-accent-soft')}>
                <th scope="row" className="font-mono font-normal [overflow-wrap:anywhere]">
                  {value.field}
                  {isChanged && <span className="block font-sans text-accent-text">not saved yet</span>}
                </th>
                <td className="font-mono [overflow-wrap:anywhere]">
                  <Value value={value} />
                </td>
                <td>
                  {value.source === 'default' ? (
                    <span className="text-ink-3">default</span>
                  ) : (
                    <Badge tone={value.source === 'binding' ? 'accent' : 'neutral'}>{value.source}</Badge>
                  )}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

const order = { binding: 0, session: 1, connector: 2, default: 3 } as const

function bySource(left: EffectiveValue, right: EffectiveValue): number {
  return order[left.source] - order[right.source]
}

function isSame(left: EffectiveValue, right: EffectiveValue | undefined): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}

function Value({ value: { value, secret } }: { value: EffectiveValue }) {
  if (secret)
    return (
      <span className="flex items-center gap-1 font-sans text-ink-2">
        <Lock className="size-3.5" aria-hidden />
        secret
      </span>
    )
  if (Array.isArray(value)) return value.length === 0 ? <span className="text-ink-3">none</span> : value.join(', ')
  return String(value)
}

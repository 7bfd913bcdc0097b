import type { Collision, HubStatus } from '@herma/contract'
import { StatusDot, type Tone } from '../ui/status-dot.tsx'

interface Remark {
  readonly tone: Tone
  readonly text: string
}

/** What a person should know about the hub as a whole; nothing when all is well. */
export function Remarks({ status }: { status: HubStatus }) {
  const remarks = collectRemarks(status)
  if (remarks.length === 0) return null
  return (
    <ul aria-label="Remarks" className="mt-4 rounded-lg border border-line bg-surface">
      {remarks.map(({ tone, text }) => (
        <li key={text} className="border-t border-line px-4 py-2.5 first:border-t-0">
          <StatusDot tone={tone}>{text}</StatusDot>
        </li>
      ))}
    </ul>
  )
}

function collectRemarks({ store, collisions }: HubStatus): Remark[] {
  const renamed = collisions.map((collision): Remark => ({ tone: 'warn', text: describeCollision(collision) }))
  if (store.healthy) return renamed
  return [{ tone: 'bad', text: 'The database does not answer. Changes are refused until it is back.' }, ...renamed]
}

function describeCollision({ kind, wanted, winner, loser, exposedAs }: Collision): string {
  const outcome = exposedAs === null ? 'cannot be reached' : `is called ${exposedAs}`
  return `${winner} and ${loser} both offer the ${nouns[kind]} ${wanted}: the one of ${loser} ${outcome}.`
}

const nouns: Record<Collision['kind'], string> = {
  tool: 'tool',
  prompt: 'prompt',
  resource: 'resource',
  resourceTemplate: 'resource template',
}

import type { InteropClient } from './client.ts'
import type { TriedWay } from './try-way.ts'

const maxReasonCharacters = 1500

/** Why there is a dash in the table. */
export function printReasons(clients: readonly Pick<InteropClient, 'name' | 'cannot' | 'ways'>[]): string {
  const lines = clients.flatMap(({ name, cannot, ways }) => [
    ...groupByReason(name, cannot),
    ...ways.flatMap((way) => groupByReason(`${name} ${way.name}`, way.cannot ?? {})),
  ])
  return lines.length === 0 ? '' : `Not tried (–):\n${lines.join('')}`
}

/** What went wrong, each reason once for all of the attempts of a way that it ended. */
export function printFailures(ways: readonly Pick<TriedWay, 'client' | 'way' | 'failures'>[]): string {
  const lines = ways.flatMap(({ client, way, failures }) =>
    groupByReason(
      `FAIL ${client} ${way}`,
      Object.fromEntries(failures.map(({ attempt, reason }) => [attempt, shorten(reason)])),
    ),
  )
  return lines.join('')
}

function groupByReason(title: string, reasons: Readonly<Record<string, string>>): string[] {
  return [...new Set(Object.values(reasons))].map((reason) => {
    const attempts = Object.keys(reasons).filter((attempt) => reasons[attempt] === reason)
    return `  ${title} (${attempts.join('; ')}): ${reason.trimEnd().replaceAll('\n', '\n    ')}\n`
  })
}

function shorten(text: string): string {
  return text.length <= maxReasonCharacters ? text : `${text.slice(0, maxReasonCharacters)}…`
}

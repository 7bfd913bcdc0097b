import { explain } from './cannot-cross.ts'
import { isCrossing, type Leg } from './legs.ts'
import { printTable, type Column } from './print-table.ts'

const groups = [
  { title: 'As a server, with servers of the same era behind', side: 'server', crosses: false },
  { title: 'As a server, with servers of the other era behind', side: 'server', crosses: true },
  { title: 'As a client, with clients of the same era in front', side: 'client', crosses: false },
  { title: 'As a client, with clients of the other era in front', side: 'client', crosses: true },
  { title: 'As an authorization server', side: 'authorization', crosses: false },
] as const

/** One table for each kind of leg, then what failed, what cannot cross and what was not run, with the reasons. */
export function printReport(columns: readonly Column[], legs: readonly Leg[]): string {
  const tables = groups.flatMap(({ title, side, crosses }) => {
    const names = legs.filter((leg) => leg.side === side && isCrossing(leg) === crosses).map((leg) => leg.name)
    const shown = columns.filter(({ name }) => names.includes(name))
    return shown.length === 0 ? [] : [`\n${title}\n\n${printTable(shown)}`]
  })
  return [...tables, ...columns.flatMap(printNotes), printNotYet(columns)].join('')
}

function printNotes({ name, results }: Column): string[] {
  return results.flatMap(({ scenario, outcome, messages }) => {
    const notes = outcome === 'cannot cross' ? [explain(name, scenario), ...messages] : messages
    return notes.length === 0 ? [] : [`\n${name} ${scenario}\n${notes.map((note) => `  ${note}\n`).join('')}`]
  })
}

function printNotYet(columns: readonly Column[]): string {
  const entries = columns.flatMap(({ notYet }) => notYet)
  const reasons = [...new Set(entries.map(({ reason }) => reason))]
  const lines = reasons.map((reason) => {
    const scenarios = new Set(entries.filter((entry) => entry.reason === reason).map(({ scenario }) => scenario))
    return `  not yet: ${reason}: ${scenarios.size} scenarios\n`
  })
  return lines.length === 0 ? '' : `\nNOT RUN\n${lines.join('')}`
}

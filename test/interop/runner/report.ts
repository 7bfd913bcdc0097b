import type { InteropServer } from '../server/interop-server.ts'
import type { Cell, Trial } from './trial.ts'
import type { TriedAgent } from './try-agent.ts'

/** Something that could not be installed or built, and why. */
export interface Missing {
  readonly name: string
  readonly reason: string
}

/** Everything that a run came to. */
export interface Findings {
  readonly agents: readonly TriedAgent[]
  readonly trials: readonly Pick<Trial, 'client' | 'way' | 'cells'>[]
  readonly servers: readonly InteropServer[]
  /** Why servers did not start, by their name. */
  readonly broken: Readonly<Record<string, string>>
  readonly missing: readonly Missing[]
}

/** One line of the tables: who, what passed, what did not. */
export interface Row {
  readonly kind: 'agent' | 'client' | 'server'
  readonly title: string
  readonly version: string
  /** How it was connected. */
  readonly way: string
  readonly passed: readonly string[]
  readonly failed: readonly string[]
  /** What makes no sense with it. */
  readonly without: readonly string[]
  /** How many attempts stand behind it. */
  readonly counts: { readonly passed: number; readonly failed: number }
}

export function makeRows(findings: Findings): Row[] {
  const { agents, trials, servers, broken } = findings
  return [
    ...agents.map(({ agent, cells }) => {
      const of = (verdict: 'ok' | 'FAIL') => cells.filter((cell) => cell.verdict === verdict).map(({ check }) => check)
      return makeRow({ kind: 'agent', title: agent.name, version: agent.version, way: '' }, of('ok'), of('FAIL'))
    }),
    ...trials.map(({ client, way, cells }) =>
      summarize({ kind: 'client', title: client.name, version: client.version, way: way.name }, cells),
    ),
    ...servers.map((server) => {
      const { name, title, version, transport, eras } = server
      const head = {
        kind: 'server' as const,
        title,
        version,
        way: `${transport}, ${eras} era${eras === 'both' ? 's' : ''}`,
      }
      if (broken[name] !== undefined) return makeRow(head, [], ['it starts'])
      return summarize(
        head,
        trials.flatMap(({ cells }) => cells.filter((cell) => cell.server === name)),
      )
    }),
  ]
}

type Head = Pick<Row, 'kind' | 'title' | 'version' | 'way'>

function makeRow(head: Head, passed: string[], failed: string[]): Row {
  return { ...head, passed, failed, without: [], counts: { passed: passed.length, failed: failed.length } }
}

/** A kind of attempt that failed once has failed, and one that was made once is not without. */
function summarize(head: Head, cells: readonly Cell[]): Row {
  const of = (verdict: Cell['verdict']) => cells.filter((cell) => cell.verdict === verdict)
  const names = (verdict: Cell['verdict']) => [...new Set(of(verdict).map(({ attempt }) => attempt as string))]
  const failed = names('FAIL')
  const passed = names('ok').filter((name) => !failed.includes(name))
  return {
    ...head,
    passed,
    failed,
    without: names('–').filter((name) => !failed.includes(name) && !passed.includes(name)),
    counts: { passed: of('ok').length, failed: of('FAIL').length },
  }
}

/** Every attempt once, however many rows it stands behind. */
export function countAll(findings: Findings): { passed: number; failed: number } {
  const verdicts = [
    ...findings.agents.flatMap(({ cells }) => cells.map(({ verdict }) => verdict)),
    ...findings.trials.flatMap(({ cells }) => cells.map(({ verdict }) => verdict)),
    ...Object.keys(findings.broken).map(() => 'FAIL' as const),
  ]
  return {
    passed: verdicts.filter((verdict) => verdict === 'ok').length,
    failed: verdicts.filter((verdict) => verdict === 'FAIL').length,
  }
}

import type { TeamCall } from '@herma/contract'
import type { Metric, Sample } from '../../platform/metric/metrics.ts'
import { TeamQueue, type QueueLimits } from './team-queue.ts'

/** What is known of a call of a team while it lasts. */
export interface CallNote {
  readonly id: string
  readonly tool: string
  readonly principal: string
  readonly traceId: string
  readonly since: number
}

/** How calls ended; the last four are those that no member was asked for. */
export type CallEnd = 'ok' | 'error' | 'cancelled' | 'deadline' | 'queue-full' | 'no-member' | 'cycle' | 'hop-limit'

interface Run {
  readonly team: string
  readonly queue: TeamQueue<CallNote>
  readonly ends: Map<CallEnd, number>
  fallbacks: number
}

/** The calls of all teams that are under way or wait, and what became of the others. */
export class TeamRuns {
  /** By the id of the team. */
  readonly #runs = new Map<string, Run>()
  readonly metrics: readonly Metric[] = [
    gauge('team_calls_running', 'Calls that a team works on.', () => this.#each(({ queue }) => queue.running)),
    gauge('team_calls_waiting', 'Calls of a team that wait.', () => this.#each(({ queue }) => queue.waiting)),
    counter('team_calls_total', 'Calls of a team by how they ended.', () => this.#ends()),
    counter('team_fallbacks_total', 'Times that a call went on to another member after one had failed.', () =>
      this.#each(({ fallbacks }) => fallbacks),
    ),
  ]

  open(id: string, team: string, limits: () => QueueLimits): void {
    this.#runs.set(id, { team, queue: new TeamQueue(team, limits), ends: new Map(), fallbacks: 0 })
  }

  /** Ends the wait of its calls; those under way end by themselves. */
  close(id: string, reason: unknown): void {
    this.#runs.get(id)?.queue.close(reason)
    this.#runs.delete(id)
  }

  closeAll(reason: unknown): void {
    for (const id of this.#runs.keys()) this.close(id, reason)
  }

  queueOf(id: string): TeamQueue<CallNote> | undefined {
    return this.#runs.get(id)?.queue
  }

  /** Members or sessions have changed, so that somebody who waits may go on. */
  advance(): void {
    for (const { queue } of this.#runs.values()) queue.advance()
  }

  noteEnd(id: string, end: CallEnd): void {
    const ends = this.#runs.get(id)?.ends
    ends?.set(end, (ends.get(end) ?? 0) + 1)
  }

  noteFallback(id: string): void {
    const run = this.#runs.get(id)
    if (run !== undefined) run.fallbacks++
  }

  calls(id: string, nameOf: (sessionId: string) => string): TeamCall[] {
    const now = Date.now()
    const calls = [...(this.queueOf(id)?.calls() ?? [])]
    return calls.map(({ about: { since, ...note }, member, before }) => ({
      ...note,
      state: before === null ? 'running' : 'waiting',
      session: member === null ? null : nameOf(member),
      before,
      since: new Date(since).toISOString(),
      ageMs: now - since,
    }))
  }

  #each(read: (run: Run) => number): Sample[] {
    return [...this.#runs.values()].map((run) => ({ labels: { team: run.team }, value: read(run) }))
  }

  #ends(): Sample[] {
    return [...this.#runs.values()].flatMap(({ team, ends }) =>
      [...ends].map(([end, value]) => ({ labels: { team, end }, value })),
    )
  }
}

function gauge(name: string, help: string, read: () => Sample[]): Metric {
  return { name, help, kind: 'gauge', read }
}

function counter(name: string, help: string, read: () => Sample[]): Metric {
  return { name, help, kind: 'counter', read }
}

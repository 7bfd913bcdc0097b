import type { Metric } from '../../platform/metric/metrics.ts'
import { Counter } from '../../platform/metric/histogram.ts'

/** What all stages of the hub hold and did. */
export class StageFigures {
  stages = 0
  stagedBytes = 0
  readonly commits = new Counter({
    name: 'workspace_commits_total',
    help: 'Commits of staged changes, by how they ended.',
    labels: ['outcome'],
  })
  readonly refusals = new Counter({
    name: 'workspace_refusals_total',
    help: 'Paths that a policy refused, by reason.',
    labels: ['reason'],
  })
  readonly metrics: readonly Metric[] = [
    {
      name: 'workspace_stages',
      help: 'Stages that hold changes.',
      kind: 'gauge',
      read: () => this.stages,
    },
    {
      name: 'workspace_staged_bytes',
      help: 'Bytes of staged changes, with what they replace.',
      kind: 'gauge',
      read: () => this.stagedBytes,
    },
    this.commits.metric,
    this.refusals.metric,
  ]
}

import { HubError, type DryRunReport } from '@herma/contract'
import { dryRunAggregate } from './aggregate/dry-run-aggregate.ts'
import { dryRun } from './pipeline/dry-run-pipeline.ts'
import type { DescribeMember } from './member.ts'
import type { MergedCatalog } from '../fragment/index.ts'
import type { Arguments } from '../core/own-tool.ts'

/** What a composite would call, in one form for aggregates and pipelines. */
export function describeDryRun(
  { aggregations, pipelines }: Pick<MergedCatalog, 'aggregations' | 'pipelines'>,
  { tool, arguments: args }: { tool: string; arguments: Arguments },
  describeMember: DescribeMember,
): DryRunReport {
  const aggregation = aggregations.find(({ name }) => name === tool)
  if (aggregation !== undefined) {
    const {
      operation,
      server,
      tool: called,
      problems,
      callsServer,
      ...rest
    } = dryRunAggregate(aggregation, args, { describeMember })
    if (operation === undefined || callsServer === undefined) return { calls: [], problems: [...problems] }
    const note = callsServer ? null : 'answered from what is remembered'
    const call = {
      step: operation,
      server: server ?? null,
      tool: called ?? tool,
      arguments: rest.arguments ?? {},
      note,
    }
    return { calls: [call], problems: [...problems] }
  }
  const pipeline = pipelines.find(({ name }) => name === tool)
  if (pipeline === undefined) {
    const names = [...aggregations, ...pipelines].map(({ name }) => name)
    const known = names.length === 0 ? 'There are none.' : `There are: ${names.join(', ')}.`
    throw new HubError('TOOL_NOT_FOUND', `No aggregate or pipeline is named '${tool}'. ${known}`)
  }
  const { steps, problems } = dryRun(pipeline, args, describeMember)
  return {
    calls: steps.flatMap(({ id, server, tool: called, runs, callCount, calls }) => {
      const note = noteOf(runs, callCount)
      const shown = calls.length === 0 ? [{}] : calls
      return shown.map((each) => ({ step: id, server: server ?? null, tool: called, arguments: each, note }))
    }),
    problems: [...problems, ...steps.flatMap(({ id, problems: own }) => own.map((text) => `${id}: ${text}`))],
  }
}

function noteOf(runs: 'yes' | 'no' | 'depends', callCount: number | null): string | null {
  if (runs === 'no') return 'left out: its condition does not hold'
  if (runs === 'depends') return 'its condition depends on an earlier step'
  if (callCount === null) return 'once for each, how many is not known before'
  return callCount === 1 ? null : `${callCount} calls`
}

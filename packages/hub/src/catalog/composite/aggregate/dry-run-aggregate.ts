import type { Aggregation, CompositeDefaults } from '@herma/contract'
import type { Arguments } from '../../core/own-tool.ts'
import { chooseOperation, planAggregate, planCall } from './aggregate-plan.ts'
import { preloadArguments } from './answer-from-state.ts'
import { argumentProblems } from '../value/argument-problems.ts'
import type { DescribeMember } from '../member.ts'

export interface DryAggregate {
  readonly operation?: string
  readonly server?: string
  readonly tool?: string
  /** False when the operation is answered from what is remembered. */
  readonly callsServer?: boolean
  /** What is remembered is not looked up; it stands there as `{{ state.key }}`. */
  readonly arguments?: Arguments
  readonly timeoutMs?: number
  readonly problems: readonly string[]
}

/** Which tool an aggregate would call with which arguments, without calling it. */
export function dryRunAggregate(
  aggregation: Aggregation,
  args: Arguments,
  { describeMember, defaults }: { describeMember: DescribeMember; defaults?: CompositeDefaults },
): DryAggregate {
  const plan = planAggregate(aggregation, defaults)
  const chosen = chooseOperation(plan, args)
  if ('problem' in chosen) return { problems: [chosen.problem] }
  const { operation } = chosen
  const memory = aggregation.state?.operations.find(({ value }) => value === operation.value)
  const given = memory === undefined ? chosen.given : preloadArguments(memory, placeholders(memory), chosen.given)
  const call = planCall(plan, operation, { given, describeMember })
  if ('problem' in call) return { operation: operation.value, problems: [call.problem] }
  const { server, tool } = call.reference
  const callsServer = memory?.mode !== 'state_only'
  return {
    operation: operation.value,
    callsServer,
    ...(callsServer && server !== undefined ? { server } : {}),
    ...(callsServer ? { tool, arguments: call.arguments } : {}),
    ...(callsServer && call.timeoutMs !== undefined ? { timeoutMs: call.timeoutMs } : {}),
    problems: callsServer ? argumentProblems(call.reference, call.arguments, describeMember) : [],
  }
}

function placeholders({ preloadArguments: rules }: NonNullable<Aggregation['state']>['operations'][number]) {
  return Object.fromEntries((rules ?? []).map(({ stateKey }) => [stateKey, `{{ state.${stateKey} }}`]))
}

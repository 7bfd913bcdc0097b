import { HubError, type Aggregation, type CompositeDefaults, type Operation } from '@herma/contract'
import { errorResult, type Arguments, type OwnTool, type ToolContext, type ToolResult } from '../../core/own-tool.ts'
import { chooseOperation, planAggregate, planCall, type MemberCall } from './aggregate-plan.ts'
import type { AggregateState, AggregateStates } from './aggregate-state.ts'
import { answerFromState, preloadArguments } from './answer-from-state.ts'
import { describeAggregate } from './describe-aggregate.ts'
import type { DescribeMember } from '../member.ts'
import { finishResult, shapeResult, textBlock, type Shape } from './shape-result.ts'

/** A tool of Herma's own that calls tools of servers. */
export interface Composite extends OwnTool {
  /** What a person should know about the definition. */
  readonly notes: readonly string[]
}

export interface AggregateOptions {
  readonly defaults?: CompositeDefaults | undefined
  readonly describeMember: DescribeMember
  /** Needed by aggregates that remember. */
  readonly states?: AggregateStates | undefined
}

/** Makes one tool of many. Throws when the definition cannot work; its notes tell what works in another way than it says. */
export function createAggregate(aggregation: Aggregation & { origin: string }, options: AggregateOptions): Composite {
  const { describeMember } = options
  const plan = planAggregate(aggregation, options.defaults)
  const state = openState(aggregation, options.states)
  const { descriptor, outputSchema, notes } = describeAggregate(plan, describeMember)

  const shapeOf = ({ value, responseMappings }: Operation): Shape => ({
    label: `Operation '${value}' of '${plan.name}'`,
    responseMappings,
    outputSchema,
  })

  const run = async (args: Arguments, context: ToolContext): Promise<ToolResult> => {
    const chosen = chooseOperation(plan, args)
    if ('problem' in chosen) return errorResult(chosen.problem)
    const { operation } = chosen
    const { principal } = context.caller
    const memory = state?.operation(operation.value)
    if (state === undefined || memory === undefined) {
      const call = planCall(plan, operation, { given: chosen.given, describeMember })
      return 'problem' in call
        ? errorResult(call.problem)
        : shapeResult(await callMember(call, context), shapeOf(operation))
    }
    const given = preloadArguments(memory, await state.read(principal), chosen.given)
    const call = planCall(plan, operation, { given, describeMember })
    if ('problem' in call) return errorResult(call.problem)
    // Before the call, so that nothing is done whose consequence must not be remembered.
    const refusal = await refusalOf(state.rehearse(principal, memory, given))
    if (refusal !== undefined) return errorResult(refusal)
    if (memory.mode === 'state_only') {
      const data = await state.commit(principal, memory, given)
      const answer = answerFromState(memory, data, given)
      return finishResult(answer, answer.structuredContent, shapeOf(operation))
    }
    const answer = await callMember(call, context)
    const result = shapeResult(answer, shapeOf(operation))
    if (answer.isError === true) return result
    try {
      await state.commit(principal, memory, given)
      return result
    } catch (error) {
      // The call is made; failing now would make the model repeat it.
      return { ...result, content: [...result.content, textBlock(`It is not remembered: ${(error as Error).message}`)] }
    }
  }

  return {
    name: aggregation.name,
    origin: aggregation.origin,
    descriptor,
    tags: aggregation.tags ?? [],
    notes,
    run,
  }
}

function openState({ name, state }: Aggregation, states: AggregateStates | undefined): AggregateState | undefined {
  if (state === undefined) return undefined
  if (states === undefined) throw new HubError('INTERNAL', `'${name}' remembers, but nothing was given to remember in.`)
  return states.open(state)
}

async function callMember({ reference, arguments: args, timeoutMs }: MemberCall, context: ToolContext) {
  return await context.call(reference, args, { timeoutMs })
}

// What must not be remembered comes from an argument that the model can correct.
async function refusalOf(rehearsal: Promise<void>): Promise<string | undefined> {
  try {
    await rehearsal
    return undefined
  } catch (error) {
    if (error instanceof HubError && error.code === 'INVALID_PARAMS') return error.message
    throw error
  }
}

import type { Ability } from '@herma/contract'
import type { WorkContext } from '../../wire/index.ts'
import type { StoredSession } from '../store.ts'
import { TurnError } from '../turn/turn-error.ts'
import type { WorkEnvironment } from '../work/work-environment.ts'
import { runWork } from '../work/run-work.ts'
import type { WorkPlace, WorkRequest, WorkResult } from '../work/types.ts'
import { tellClient } from './tell-client.ts'

/** One call of an ability. */
export interface Job {
  readonly session: StoredSession
  readonly ability: Ability
  readonly workContext: WorkContext
  readonly place: WorkPlace
  readonly outside: WorkEnvironment
  /** Does the work; rejects when it is not finished. */
  work(wish: WorkWish): Promise<WorkResult>
}

/** What an ability says about its work; the rest is the same for all. */
export interface WorkWish extends Pick<
  WorkRequest,
  'needs' | 'writeGlobs' | 'isDryRun' | 'responseSchema' | 'own' | 'otherwise'
> {
  /** The request in the words of the caller, for routes. */
  readonly text: string
  /** For the model. */
  readonly prompt?: string | undefined
  readonly instructions?: string | undefined
}

export interface JobOptions extends Pick<Job, 'session' | 'ability' | 'workContext' | 'place' | 'outside'> {
  /** The arguments of the ability, checked. */
  readonly fields: Readonly<Record<string, unknown>>
}

export function createJob({ fields, ...parts }: JobOptions): Job {
  const { session, ability, workContext, place, outside } = parts
  const options = (fields['options'] ?? {}) as { readonly max_steps?: number; readonly timeout_ms?: number }
  return {
    ...parts,
    async work({ text, prompt = text, instructions = '', ...wish }) {
      const result = await runWork(
        {
          ...wish,
          session,
          ability,
          workContext,
          place,
          input: { text, fields },
          messages: [{ role: 'user', parts: [{ type: 'text', text: prompt }] }],
          extraInstructions: instructions,
          limits: { maxSteps: options.max_steps, timeoutMs: options.timeout_ms },
          onEvent: tellClient(workContext),
        },
        outside,
      )
      requireFinished(result)
      return result
    },
  }
}

const unfinished: Partial<Record<WorkResult['finish'], string>> = {
  steps: 'it reached its limit of steps. Raise limits.maxSteps of the session, or ask for less',
  tokens: 'it reached its limit of tokens. Raise limits.maxTokens of the session, or ask for less',
  cost: 'it reached its limit of cost. Raise limits.maxCostUsd of the session, or ask for less',
  length: 'its answer got too long. Raise limits.maxOutputTokens of the session, or ask for less',
}

/** Half an answer would be taken for a whole one. */
function requireFinished(result: WorkResult): void {
  const { finish, hadEffect, usage, costUsd } = result
  const why = unfinished[finish]
  if (why !== undefined)
    throw new TurnError('LIMIT_REACHED', `The work is unfinished: ${why}.`, { hadEffect, usage, costUsd })
  if (finish !== 'refused') return
  const text = 'The provider withheld the answer, as it does for what it finds harmful. Ask in other words.'
  throw new TurnError('PROVIDER_FAILED', text, { hadEffect, usage, costUsd })
}

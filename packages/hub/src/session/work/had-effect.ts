import { HubError } from '@herma/contract'
import { HalfDoneError } from '../../workspace/index.ts'
import { TurnError } from '../turn/turn-error.ts'
import type { TurnResult } from '../turn/types.ts'
import { noUsage } from '../turn/usage.ts'

/** Whether work that failed has changed something, so that nobody else may do it again. */
export function hadEffect(error: unknown): boolean {
  return error instanceof TurnError && error.hadEffect
}

/** A failure behind a turn, with what the turn did and used. */
export function afterTurn(error: unknown, turn: Pick<TurnResult, 'hadEffect' | 'usage' | 'costUsd'>): TurnError {
  const { hadEffect: had, usage, costUsd } = turn
  const { code, message, data } = toHubError(error)
  return new TurnError(code, message, {
    hadEffect: had || error instanceof HalfDoneError,
    usage,
    costUsd,
    data,
    cause: error,
  })
}

/** A failure of a tool that was called in place of a model. */
export function afterCall(error: unknown, had: boolean): TurnError {
  return afterTurn(error, { hadEffect: had, usage: noUsage, costUsd: null })
}

function toHubError(error: unknown): HubError {
  return error instanceof HubError ? error : new HubError('INTERNAL', `The work failed: ${(error as Error).message}`)
}

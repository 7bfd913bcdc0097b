import { HubError, type ErrorCode } from '@herma/contract'
import type { Usage } from './types.ts'

/** A turn that failed or was cancelled. Nothing of it is stored; what it used is known all the same. */
export class TurnError extends HubError {
  /** A tool that is not read-only was run, so the work must not be repeated elsewhere. */
  readonly hadEffect: boolean
  /** Of the steps that were finished. */
  readonly usage: Usage
  readonly costUsd: number | null

  constructor(code: ErrorCode, message: string, options: TurnErrorOptions) {
    super(code, message, options)
    this.name = 'TurnError'
    this.hadEffect = options.hadEffect
    this.usage = options.usage
    this.costUsd = options.costUsd
  }
}

export interface TurnErrorOptions {
  readonly hadEffect: boolean
  readonly usage: Usage
  readonly costUsd: number | null
  readonly cause?: unknown
  readonly data?: unknown
}

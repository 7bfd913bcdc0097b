import type { InputRequests, Result } from '@modelcontextprotocol/server'

/** https://modelcontextprotocol.io/seps/2663-tasks-extension */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** A task as clients see it. */
export interface Task {
  readonly taskId: string
  readonly status: TaskStatus
  readonly statusMessage?: string
  readonly createdAt: string
  readonly lastUpdatedAt: string
  readonly ttlMs: number
  readonly pollIntervalMs: number
}

/** A task with what its status brings along. */
export interface DetailedTask extends Task {
  readonly inputRequests?: InputRequests
  readonly result?: Result
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export function isEnded({ status }: Task): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

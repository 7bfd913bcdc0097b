import { noUsage } from '../../turn/usage.ts'
import type { RouteChoice } from '../choose-route.ts'
import type { WorkResult } from '../types.ts'

/** The result of work that no model did. */
export function withoutModel({ route, because }: RouteChoice, text: string): WorkResult {
  return {
    route,
    because,
    text,
    messages: [{ role: 'assistant', parts: [{ type: 'text', text }] }],
    usage: noUsage,
    costUsd: null,
    steps: 0,
    toolCalls: 0,
    finish: 'stop',
    clientCalls: [],
    hadEffect: false,
    toolResult: null,
    changes: [],
    diff: null,
    committed: false,
    whyNotCommitted: null,
    filesRead: [],
  }
}

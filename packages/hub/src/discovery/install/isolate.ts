import type { ConnectorInput, Isolation } from '@herma/contract'

/** What a process may touch is said of commands only. */
export function isolate(input: ConnectorInput, isolation: Isolation | undefined): ConnectorInput {
  return input.transport === 'stdio' && isolation !== undefined ? { ...input, isolation } : input
}

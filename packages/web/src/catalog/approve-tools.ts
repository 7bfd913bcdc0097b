import type { PinReview } from '@herma/contract'
import { api } from '../api/client.ts'
import { groupByServer } from './arrange-tools.ts'

/** A tool as a person saw it. */
export type Reviewed = Pick<PinReview, 'connector' | 'tool' | 'hash'>

/** Approves tools as they were seen. Throws PIN_MOVED when one is something else by now; of its server none is approved. */
export async function approveTools(reviewed: readonly Reviewed[]): Promise<void> {
  for (const [server, tools] of groupByServer(reviewed)) {
    await api.approvePins({ server, body: { tools: tools.map(({ tool, hash }) => ({ tool, hash })) } })
  }
}

import type { Trace } from '@herma/contract'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { spansOf, type SpanTree } from './spans.ts'

export interface LoadedTrace extends Trace {
  readonly tree: SpanTree
}

const watchMs = 2000
/** What has not ended by then most likely never told its end. */
const giveUpMs = 600_000

/** One trace with its spans; asked again while something of it is under way. */
export function traceQuery(traceId: string) {
  return queryOptions({
    // No topic: each call of the hub would ask for this one again.
    queryKey: ['trace', traceId],
    queryFn: async ({ signal }): Promise<LoadedTrace> => {
      const trace = await api.getTrace({ traceId }, { signal })
      return { ...trace, tree: spansOf(trace.events) }
    },
    refetchInterval: ({ state: { data } }) => (data !== undefined && isGrowing(data) ? watchMs : false),
  })
}

function isGrowing({ tree, events }: LoadedTrace): boolean {
  return tree.isUnderWay && Date.now() - Date.parse(events.at(-1)?.at ?? '') < giveUpMs
}

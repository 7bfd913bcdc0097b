import type { EventView, Trace } from '@herma/contract'
import { Command } from 'commander'
import { oneLine } from '../../clean-text.ts'
import { type Cli, connectHub } from '../../cli.ts'
import { formatTable } from '../../format-table.ts'
import type { HubClient } from '../../hub-client.ts'
import { compareValues, type ValueDifference } from './compare-values.ts'
import { formatMs } from './describe-event.ts'

interface Flags {
  readonly loose?: boolean
}

/** The call that a trace is about, with what was said in it; null where it is not recorded. */
interface Side {
  readonly traceId: string
  readonly call: EventView | undefined
  readonly request: unknown
  readonly response: unknown
}

export function compareCommand(cli: Cli): Command {
  return new Command('compare')
    .description('show what differs between two traces: how long they took, what was asked, what was answered')
    .argument('<trace>', 'id of a trace')
    .argument('<other>', 'id of another')
    .option('--loose', 'pass over ids and times, which differ every time')
    .action(async (traceId: string, otherId: string, { loose = false }: Flags) => {
      const hub = await connectHub(cli)
      const [one, other] = await Promise.all([readSide(hub, traceId), readSide(hub, otherId)])
      const differ = (before: unknown, after: unknown) =>
        before === null || after === null ? null : compareValues(before, after, { ignoresVolatile: loose })
      const answer = {
        traces: [one, other].map(({ traceId: id, call }) => ({ traceId: id, call: call ?? null })),
        request: differ(one.request, other.request),
        response: differ(one.response, other.response),
      }
      cli.terminal.answer(answer, () =>
        [
          describeFacts(cli, [one, other]),
          describePart(cli, 'What was asked', answer.request),
          describePart(cli, 'What was answered', answer.response),
        ].join('\n\n'),
      )
    })
}

async function readSide(hub: HubClient, traceId: string): Promise<Side> {
  const { events } = await hub.send<Trace>('GET', `/api/traces/${encodeURIComponent(traceId)}`)
  const call = events.find(({ kind }) => kind === 'call.finished') ?? events[0]
  const own = events.filter(({ spanId }) => spanId === call?.spanId)
  return {
    traceId,
    call,
    request: own.find(({ kind }) => kind === 'message.received')?.data['params'] ?? null,
    response: own.findLast(({ kind }) => kind === 'message.sent')?.data['message'] ?? null,
  }
}

function describeFacts({ terminal }: Cli, sides: readonly [Side, Side]): string {
  const rows = sides.map(({ traceId, call }) => [
    traceId,
    call?.at ?? '',
    call?.ms === undefined ? '' : `${formatMs(call.ms)} ms`,
    call?.outcome ?? '',
    call?.server ?? '',
    oneLine(call?.target ?? call?.method ?? ''),
    call?.principal ?? '',
  ])
  return formatTable(
    [['TRACE', 'BEGAN', 'TOOK', 'OUTCOME', 'SERVER', 'TARGET', 'WHO ASKED'], ...rows],
    terminal.columns,
  )
}

function describePart({ terminal }: Cli, title: string, differences: ValueDifference[] | null): string {
  const head = terminal.style('bold', title)
  if (differences === null) return `${head}\nNot recorded of both. See: herma traces capture --help`
  if (differences.length === 0) return `${head}\nThe same.`
  const lines = differences.flatMap(({ path, before, after }) => [
    `  ${path || '(all of it)'}`,
    ...(before === undefined ? [] : [terminal.style('red', `  - ${oneLine(JSON.stringify(before))}`)]),
    ...(after === undefined ? [] : [terminal.style('green', `  + ${oneLine(JSON.stringify(after))}`)]),
  ])
  return [head, ...lines].join('\n')
}

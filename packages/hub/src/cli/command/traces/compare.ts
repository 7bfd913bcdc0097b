import type { EventView } from '@herma/contract'
import { Command } from 'commander'

import { oneLine } from '../../terminal/clean-text.ts'
import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { formatTable } from '../../terminal/format-table.ts'
import type { HubClient } from '../../hub/hub-client.ts'
import { formatMs } from './events.ts'

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
  const { events } = await hub.api.getTrace({ traceId })
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

export interface ValueDifference {
  /** For example `content[0].text`. */
  readonly path: string
  /** Undefined where there is none. */
  readonly before: unknown
  readonly after: unknown
}

export interface CompareOptions {
  /** Passes over what changes with every call: ids and times, by the names of fields and by the look of values. */
  readonly ignoresVolatile: boolean
}

const maxDifferences = 1000

/** Where two JSON values differ. */
export function compareValues(before: unknown, after: unknown, options: CompareOptions): ValueDifference[] {
  const found: ValueDifference[] = []
  const compare = (path: string, one: unknown, other: unknown): void => {
    if (found.length >= maxDifferences || Object.is(one, other)) return
    if (isContainer(one) && isContainer(other) && Array.isArray(one) === Array.isArray(other)) {
      for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
        if (options.ignoresVolatile && !Array.isArray(one) && isVolatileName(key)) continue
        compare(Array.isArray(one) ? `${path}[${key}]` : joinPath(path, key), field(one, key), field(other, key))
      }
      return
    }
    if (options.ignoresVolatile && blank(one) === blank(other)) return
    found.push({ path, before: one, after: other })
  }
  compare('', before, after)
  return found
}

type Container = Readonly<Record<string, unknown>> | readonly unknown[]

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null
}

// A field that a value inherits is none of its own.
function field(container: Container, key: string): unknown {
  return Object.hasOwn(container, key) ? (container as Record<string, unknown>)[key] : undefined
}

function joinPath(path: string, key: string): string {
  const name = /^[\w$-]+$/.test(key) ? key : JSON.stringify(key)
  return path === '' ? name : `${path}.${name}`
}

const volatileWords = new Set(['id', 'ids', 'uuid', 'etag', 'timestamp', 'time', 'date', 'at', 'nonce'])

/** By the last word of a name: `createdAt` and `request_id` are, `format` and `grid` are not. */
function isVolatileName(name: string): boolean {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  return volatileWords.has(words.at(-1) ?? '')
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
const instant = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?/g

/** Text without the ids and times in it. */
function blank(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll(uuid, '<id>').replaceAll(instant, '<time>') : value
}

import type { EventView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { sendRequest } from '../../send-request.ts'
import { wholeNumber } from '../catalog/whole-number.ts'
import { describeWhat, formatMs } from './describe-event.ts'
import { addFilterFlags, readFilterFlags, type FilterFlags } from './filter-flags.ts'
import { refuseProblem } from './request-text.ts'

const maxEventBytes = 16_777_216
const reconnectMs = 1000

export function tailCommand(cli: Cli): Command {
  return addFilterFlags(new Command('tail'))
    .description('show events as they happen, until interrupted')
    .option('-n, --limit <number>', 'stop after so many', wholeNumber('--limit', 1_000_000))
    .action(async (flags: FilterFlags & { limit?: number }) => {
      const hub = await connectHub(cli)
      const url = new URL(`/api/traces/tail?${readFilterFlags(flags).toString()}`, hub.url)
      let left = flags.limit ?? Infinity
      while (left > 0) {
        left = await follow(cli, url, left)
        // The hub ends a stream now and then, to see whether we may still listen.
        if (left > 0) await new Promise((resolve) => setTimeout(resolve, reconnectMs))
      }
    })
}

/** Shows events until the stream ends or enough were shown; returns how many are left. */
async function follow(cli: Cli, url: URL, limit: number): Promise<number> {
  const answer = await sendRequest(url, { method: 'GET', headers: { accept: 'text/event-stream' } })
  await refuseProblem(answer)
  // Loaded here, because only this command reads streams of the API.
  const { SseParser } = await import('../../../wire/index.ts')
  let left = limit
  const parser = new SseParser(({ type, data }) => {
    if (data.length === 0 || left <= 0) return
    const value: unknown = JSON.parse(data.toString('utf8'))
    if (type === 'skipped') cli.terminal.note(`(${(value as { count: number }).count} events skipped)`)
    else if (left-- > 0) show(cli, value as EventView)
  }, maxEventBytes)
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    parser.push(chunk)
    if (left <= 0) break
  }
  answer.destroy()
  return left
}

function show({ terminal }: Cli, event: EventView): void {
  if (terminal.isMachine) return terminal.print(JSON.stringify(event))
  const { at, kind, outcome = '', ms, principal = '-' } = event
  const server = event.server ?? event.connector ?? '-'
  const duration = ms === undefined ? '' : `${formatMs(ms)} ms`
  const words = [at, kind, outcome, duration, server, describeWhat(event), principal, event.traceId ?? '']
  terminal.print(words.filter((word) => word !== '').join('  '))
}

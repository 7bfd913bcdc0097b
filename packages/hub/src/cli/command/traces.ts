import { Command } from 'commander'

import type { Cli } from '../cli.ts'
import { captureCommand } from './traces/capture.ts'
import { compareCommand } from './traces/compare.ts'
import { exportCommand } from './traces/export.ts'
import { latencyCommand } from './traces/latency.ts'
import { listCommand } from './traces/list.ts'
import { replayCommand } from './traces/replay.ts'
import { settingsCommand } from './traces/settings.ts'
import { showCommand } from './traces/show.ts'
import { statsCommand } from './traces/stats.ts'
import { tailCommand } from './traces/tail.ts'

/** In the order of `herma traces --help`. */
const commands = [
  listCommand,
  tailCommand,
  showCommand,
  compareCommand,
  exportCommand,
  replayCommand,
  captureCommand,
  latencyCommand,
  settingsCommand,
  statsCommand,
]

export function tracesCommand(cli: Cli): Command {
  const traces = new Command('traces')
    .description('see what happened: calls, messages, refusals; export and replay them')
    .addHelpText('after', `\n${examples}`)
  for (const create of commands) traces.addCommand(create(cli))
  return traces
}

const examples = `Examples:
  herma traces list --outcome error --since 1h     what failed in the last hour
  herma traces tail --server facade                calls as they happen
  herma traces latency --connector files           how long its calls took
  herma traces capture facade --level bodies       record arguments and results from now on
  herma traces show 4bf92f3577b34da6a3ce929d0e0e4736
  herma traces compare TRACE OTHER                 two of them, field by field
  herma traces export TRACE --format claude        as a transcript of Claude Code
  herma traces replay TRACE --server staging       the same call again, and what differs`

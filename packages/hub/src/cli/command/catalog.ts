import { Command } from 'commander'

import type { Cli } from '../cli.ts'
import { acceptCommand } from './catalog/accept.ts'
import { approveCommand } from './catalog/approve.ts'
import { checkCommand } from './catalog/check.ts'
import { compositeCommand } from './catalog/composite.ts'
import { costCommand } from './catalog/cost.ts'
import { diffCommand } from './catalog/diff.ts'
import { dryRunCommand } from './catalog/dry-run.ts'
import { fragmentsCommand } from './catalog/fragments.ts'
import { historyCommand } from './catalog/history.ts'
import { listCommand } from './catalog/list.ts'
import { overrideCommand } from './catalog/override.ts'
import { overridesCommand } from './catalog/overrides.ts'
import { pinsCommand } from './catalog/pins.ts'
import { pruneCommand } from './catalog/prune.ts'
import { renderCommand } from './catalog/render.ts'
import { resetCommand } from './catalog/reset.ts'
import { reviewCommand } from './catalog/review.ts'
import { scanCommand } from './catalog/scan.ts'
import { searchCommand } from './catalog/search.ts'
import { showCommand } from './catalog/show.ts'
import { verifyCommand } from './catalog/verify.ts'
import { viewsCommand } from './catalog/views.ts'

/** In the order of `herma catalog --help`. */
const commands = [
  listCommand,
  showCommand,
  searchCommand,
  costCommand,
  overrideCommand,
  resetCommand,
  acceptCommand,
  overridesCommand,
  fragmentsCommand,
  checkCommand,
  viewsCommand,
  compositeCommand,
  dryRunCommand,
  pinsCommand,
  reviewCommand,
  approveCommand,
  scanCommand,
  renderCommand,
  verifyCommand,
  diffCommand,
  historyCommand,
  pruneCommand,
]

export function catalogCommand(cli: Cli): Command {
  const catalog = new Command('catalog')
    .description('curate what clients see: overrides, fragments, approvals, drift')
    .addHelpText('after', `\n${examples}`)
  for (const create of commands) catalog.addCommand(create(cli))
  return catalog
}

const examples = `Examples:
  herma catalog list --all                                   every tool, hidden or not
  herma catalog override files read_file --name read_notes   say it better than its server
  herma catalog check my-fragment.json                       before it goes into the config home
  herma catalog review files read_file                       what did the server change?
  herma catalog verify --fail-on-drift                       for CI`

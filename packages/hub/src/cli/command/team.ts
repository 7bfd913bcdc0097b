import { Command } from 'commander'

import type { Cli } from '../cli.ts'
import { addCommand } from './team/add.ts'
import { callsCommand } from './team/calls.ts'
import { dispatchCommand } from './team/dispatch.ts'
import { editCommand } from './team/edit.ts'
import { disableCommand, enableCommand } from './team/enable.ts'
import { listCommand } from './team/list.ts'
import { memberCommand } from './team/member.ts'
import { orderCommand } from './team/order.ts'
import { pathCommand } from './team/path.ts'
import { removeCommand } from './team/remove.ts'
import { ruleCommand } from './team/rule.ts'
import { showCommand } from './team/show.ts'
import { testCommand } from './team/test.ts'
import { whoCommand } from './team/who.ts'

/** In the order of `herma team --help`. */
const commands = [
  listCommand,
  addCommand,
  showCommand,
  editCommand,
  removeCommand,
  enableCommand,
  disableCommand,
  memberCommand,
  orderCommand,
  ruleCommand,
  dispatchCommand,
  whoCommand,
  pathCommand,
  callsCommand,
  testCommand,
]

/** Servers whose calls go to sessions by role, rule, priority and health. */
export function teamCommand(cli: Cli): Command {
  const team = new Command('team')
    .description('sessions behind one MCP server, each asked for what it is there for')
    .addHelpText('after', `\n${examples}`)
  for (const create of commands) team.addCommand(create(cli), { isDefault: create === listCommand })
  return team
}

const examples = `Examples:
  herma team add alpha --member coder:code --member tester:test    a team of two
  herma team member add alpha finder --role search                 and a third
  herma team rule alpha generate_code --prefer openai --fallback anthropic
  herma team who alpha generate_code                               who would answer now, and why?
  herma team test alpha                                            as a client sees it`

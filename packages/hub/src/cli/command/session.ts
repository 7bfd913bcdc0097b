import { Command } from 'commander'

import type { Cli } from '../cli.ts'
import { addCommand } from './session/add.ts'
import { bindCommand, unbindCommand } from './session/bind.ts'
import { bindingsCommand } from './session/bindings.ts'
import { editCommand } from './session/edit.ts'
import { disableCommand, enableCommand } from './session/enable.ts'
import { listCommand } from './session/list.ts'
import { pathCommand } from './session/path.ts'
import { removeCommand } from './session/remove.ts'
import { showCommand } from './session/show.ts'
import { testCommand } from './session/test.ts'
import { threadCommand } from './session/thread.ts'
import { threadsCommand } from './session/threads.ts'

/** In the order of `herma session --help`. */
const commands = [
  listCommand,
  addCommand,
  showCommand,
  editCommand,
  removeCommand,
  enableCommand,
  disableCommand,
  testCommand,
  bindCommand,
  unbindCommand,
  bindingsCommand,
  pathCommand,
  threadsCommand,
  threadCommand,
]

/** Agent sessions: a model with instructions, a folder and tools, served as an MCP server. */
export function sessionCommand(cli: Cli): Command {
  const session = new Command('session')
    .description('agents: a model with instructions, a folder and tools, each of them an MCP server')
    .addHelpText('after', `\n${examples}`)
  for (const create of commands) session.addCommand(create(cli), { isDefault: create === listCommand })
  return session
}

const examples = `Examples:
  herma session add coder --provider anthropic --model MODEL --dir ~/project --key    asks for the key
  herma session test coder                                                            does it answer?
  herma session bind coder files --tool 'read_*'                                      give it tools of a connector
  herma session path coder ../secret.txt                                              may it, and why?
  herma chat coder                                                                    talk to it`

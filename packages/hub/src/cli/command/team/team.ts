import { resolve } from 'node:path'
import type { TeamMemberInput, TeamPatch } from '@herma/contract'
import { Command, Option } from 'commander'

import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { collect } from '../../flag/connector-flags.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { clearFields } from '../../flag/clear-fields.ts'
import { jsonInput, type JsonOption, readJsonFields } from '../../flag/json-option.ts'
import { wholeNumber } from '../../flag/whole-number.ts'
import { switchCommand, type Switched } from '../switch-command.ts'
import { memberCommand, orderCommand } from './member.ts'
import { dispatchCommand, ruleCommand, whoCommand } from './routing.ts'
import { callsCommand, describeTeam, listCommand, pathCommand, showCommand } from './show.ts'
import { testCommand } from './test.ts'

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

interface AddFlags extends TeamFlags {
  member?: string[]
  disabled?: boolean
  json?: JsonOption
}

function addCommand(cli: Cli): Command {
  return addTeamFlags(new Command('add'))
    .description('add a team; it is served at once')
    .argument('<team>', 'name of the team')
    .option('--member <session:role>', 'a member, those to be asked first in front', collect)
    .option('--disabled', 'store it without serving it')
    .addOption(jsonInput('FIELDS'))
    .addHelpText('after', `\n${addExamples}`)
    .action(async (name: string, flags: AddFlags) => {
      const team = {
        ...readTeamFlags(flags),
        ...(flags.member !== undefined && { members: flags.member.map(readMember) }),
        ...(flags.disabled === true && { enabled: false }),
        ...(await readJsonFields(flags.json, cli.terminal)),
        name,
      }
      const hub = await connectHub(cli)
      const added = await hub.api.addTeam({ body: team })
      const next = `Who would answer, and why: herma team who ${name}`
      cli.terminal.answer(added, () => `Added '${name}'.\n\n${describeTeam(added, hub.url, cli.terminal)}\n\n${next}`)
    })
}

const addExamples = `Examples:
  herma team add alpha --member coder:code --member tester:test --member finder:search --member planner:planner
  herma team add alpha --dir ~/project --concurrency 2`

/** The first is asked first. */
function readMember(text: string, index: number): TeamMemberInput {
  const [session = '', role = '', ...more] = text.split(':')
  if (session !== '' && role !== '' && more.length === 0) return { session, role, priority: index + 1 }
  throw new CliError(
    exitCodes.usage,
    `--member needs SESSION:ROLE, not '${text}'. Roles are code, test, search, planner, or a word of yours.`,
  )
}

interface EditFlags extends TeamFlags {
  clear?: string[]
  json?: JsonOption
}

const clearable = {
  description: { description: '' },
  dir: { workingDir: null },
  paths: { hasPathPolicy: false, paths: { roots: [] } },
  rules: { routing: {} },
}

function editCommand(cli: Cli): Command {
  return addTeamFlags(new Command('edit'))
    .description('change a team; it holds from the next call on')
    .argument('<team>', 'name of the team')
    .option('--clear <field>', `take one back: ${Object.keys(clearable).join(', ')}`, collect)
    .addOption(jsonInput('FIELDS'))
    .action(async (name: string, flags: EditFlags) => {
      const hub = await connectHub(cli)
      const stored = await hub.api.getTeam({ name })
      const given: TeamPatch = {
        ...readTeamFlags(flags, stored),
        ...(await readJsonFields(flags.json, cli.terminal)),
      }
      const patch = { ...given, ...clearFields(flags.clear ?? [], clearable, given) }
      if (Object.keys(patch).length === 0)
        throw new CliError(exitCodes.usage, 'Nothing to change. See: herma team edit --help')
      const team = await hub.api.updateTeam({ name, body: patch })
      cli.terminal.answer(team, () => `Changed '${name}'.\n\n${describeTeam(team, hub.url, cli.terminal)}`)
    })
}

function removeCommand(cli: Cli): Command {
  return new Command('remove')
    .alias('rm')
    .description('forget a team; calls that wait are refused, its sessions stay')
    .argument('<team>', 'name of the team')
    .action(async (name: string) => {
      const { api } = await connectHub(cli)
      await api.removeTeam({ name })
      cli.terminal.answer({ name, removed: true }, () => `Removed '${name}'.`)
    })
}

const switched: Switched = {
  thing: 'team',
  on: 'let a team answer again',
  off: 'let a team answer nobody, without forgetting it',
  switch: (api, name, enabled) => api.updateTeam({ name, body: { enabled } }),
}

function enableCommand(cli: Cli): Command {
  return switchCommand(cli, switched, true)
}

function disableCommand(cli: Cli): Command {
  return switchCommand(cli, switched, false)
}

/** Flags that `add` and `edit` have in common. */
interface TeamFlags {
  description?: string
  dir?: string
  root?: string[]
  deny?: string[]
  pathPolicy?: 'on' | 'off'
  hops?: number
  concurrency?: number
  queue?: number
  deadline?: number
}

const maxSeconds = 86_400

function addTeamFlags(command: Command): Command {
  return command
    .option('--description <text>', 'what it is for')
    .option('--dir <dir>', 'where its members work unless a call says otherwise')
    .option('--root <dir>', 'a folder that they may touch, in place of what each of them may', collect)
    .option('--deny <glob>', 'paths that they may not touch; absent: the usual places of secrets', collect)
    .addOption(
      new Option('--path-policy <switch>', 'whether --root and --deny hold; on as soon as one is given').choices([
        'on',
        'off',
      ]),
    )
    .option('--hops <number>', 'served servers that one request may pass; absent: 3', wholeNumber('--hops', 20))
    .option('--concurrency <number>', 'calls at once; absent: 4', wholeNumber('--concurrency', 256))
    .option('--queue <number>', 'calls that may wait, or 0; absent: 100', readQueue)
    .option(
      '--deadline <seconds>',
      'time of a call, waiting included; absent: 1800',
      wholeNumber('--deadline', maxSeconds),
    )
}

/** The changes that the flags ask for; `stored` has the paths that are not mentioned. */
function readTeamFlags(flags: TeamFlags, stored?: { readonly paths: NonNullable<TeamPatch['paths']> }): TeamPatch {
  const { description, dir, root, deny, pathPolicy, hops, concurrency, queue, deadline } = flags
  const hasPaths = root !== undefined || deny !== undefined
  return {
    ...(description !== undefined && { description }),
    ...(dir !== undefined && { workingDir: resolve(dir) }),
    ...(hasPaths && {
      hasPathPolicy: true,
      paths: {
        roots: stored?.paths.roots ?? [],
        ...stored?.paths,
        ...(root !== undefined && { roots: root.map((folder) => resolve(folder)) }),
        ...(deny !== undefined && { denied: deny }),
      },
    }),
    ...(pathPolicy !== undefined && { hasPathPolicy: pathPolicy === 'on' }),
    ...(hops !== undefined && { hopLimit: hops }),
    ...(concurrency !== undefined && { maxConcurrency: concurrency }),
    ...(queue !== undefined && { maxQueue: queue }),
    ...(deadline !== undefined && { deadlineMs: deadline * 1000 }),
  }
}

function readQueue(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text)
  throw new CliError(exitCodes.usage, `--queue needs a number from 0 to 10000, not '${text}'.`)
}

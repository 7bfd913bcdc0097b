import type { TeamMemberPatch } from '@herma/contract'
import { Command, Option } from 'commander'

import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { wholeNumber } from '../../flag/whole-number.ts'
import { formatMembers } from './show.ts'

interface MemberFlags {
  role?: string
  priority?: number
  /** False for `--no-concurrency`. */
  concurrency?: number | false
  disable?: boolean
  enable?: boolean
}

/** The sessions of a team. */
export function memberCommand(cli: Cli): Command {
  return new Command('member')
    .description('the sessions of a team: add, edit or remove one')
    .addCommand(addCommand(cli))
    .addCommand(editCommand(cli))
    .addCommand(removeCommand(cli))
}

function addMemberFlags(command: Command): Command {
  return command
    .argument('<team>', 'name of the team')
    .argument('<session>', 'name of the session')
    .option('--role <role>', 'code, test, search or planner; or another word, for team.dispatch')
    .option('--priority <number>', 'a lower one is asked first; absent: 1', wholeNumber('--priority', 1000))
    .option('--concurrency <number>', 'calls of the team at once; absent: as many', wholeNumber('--concurrency', 256))
    .addOption(new Option('--disable', 'keep it without asking it').conflicts('enable'))
}

function addCommand(cli: Cli): Command {
  return addMemberFlags(new Command('add'))
    .description('make a session a member')
    .action(async (team: string, session: string, flags: MemberFlags) => {
      const member = readMemberFlags(flags)
      const { role } = member
      if (role === undefined)
        throw new CliError(exitCodes.usage, 'What does it do in the team? Say: --role code, test, search or planner')
      const { api } = await connectHub(cli)
      const changed = await api.addTeamMember({ name: team, body: { session, ...member, role } })
      cli.terminal.answer(changed, () => `Added '${session}' to '${team}'.\n\n${formatMembers(changed, cli.terminal)}`)
    })
}

function editCommand(cli: Cli): Command {
  return addMemberFlags(new Command('edit'))
    .description('change the role or priority of a member, or switch it on or off')
    .option('--no-concurrency', 'as many calls at once as the team has')
    .option('--enable', 'ask it again')
    .action(async (team: string, session: string, flags: MemberFlags) => {
      const patch = readMemberFlags(flags)
      if (Object.keys(patch).length === 0)
        throw new CliError(exitCodes.usage, 'Nothing to change. See: herma team member edit --help')
      const { api } = await connectHub(cli)
      const changed = await api.updateTeamMember({ name: team, session, body: patch })
      cli.terminal.answer(changed, () => formatMembers(changed, cli.terminal))
    })
}

function removeCommand(cli: Cli): Command {
  return new Command('remove')
    .alias('rm')
    .description('take a session out of a team; it stays a session')
    .argument('<team>', 'name of the team')
    .argument('<session>', 'name of the session')
    .action(async (team: string, session: string) => {
      const { api } = await connectHub(cli)
      const changed = await api.removeTeamMember({ name: team, session })
      cli.terminal.answer(changed, () => `Took '${session}' out of '${team}'.`)
    })
}

function readMemberFlags({ role, priority, concurrency, disable, enable }: MemberFlags): TeamMemberPatch {
  return {
    ...(role !== undefined && { role }),
    ...(priority !== undefined && { priority }),
    ...(concurrency !== undefined && { maxConcurrency: concurrency === false ? null : concurrency }),
    ...((enable === true || disable === true) && { enabled: enable === true }),
  }
}

export function orderCommand(cli: Cli): Command {
  return new Command('order')
    .description('put the members into another order: these first, then the others as they are')
    .argument('<team>', 'name of the team')
    .argument('<session...>', 'names of members')
    .action(async (name: string, first: string[]) => {
      const { api } = await connectHub(cli)
      const { members } = await api.getTeam({ name })
      const others = members
        .toSorted((a, b) => a.priority - b.priority)
        .map(({ session }) => session)
        .filter((session) => !first.includes(session))
      const team = await api.orderTeamMembers({ name, body: { sessions: [...first, ...others] } })
      cli.terminal.answer(team, () => formatMembers(team, cli.terminal))
    })
}

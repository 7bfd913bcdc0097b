import type { TeamMemberInput, TeamView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { collect } from '../../connector-flags.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import { jsonInput, type JsonOption } from '../../json-option.ts'
import { readJsonFields } from '../session/read-json-fields.ts'
import { describeTeam } from './show.ts'
import { addTeamFlags, readTeamFlags, type TeamFlags } from './team-flags.ts'

interface Flags extends TeamFlags {
  member?: string[]
  disabled?: boolean
  json?: JsonOption
}

export function addCommand(cli: Cli): Command {
  return addTeamFlags(new Command('add'))
    .description('add a team; it is served at once')
    .argument('<team>', 'name of the team')
    .option('--member <session:role>', 'a member, those to be asked first in front', collect)
    .option('--disabled', 'store it without serving it')
    .addOption(jsonInput('FIELDS'))
    .addHelpText('after', `\n${examples}`)
    .action(async (name: string, flags: Flags) => {
      const team = {
        ...readTeamFlags(flags),
        ...(flags.member !== undefined && { members: flags.member.map(readMember) }),
        ...(flags.disabled === true && { enabled: false }),
        ...(await readJsonFields(flags.json, cli.terminal)),
        name,
      }
      const hub = await connectHub(cli)
      const added = await hub.send<TeamView>('POST', '/api/teams', team)
      const next = `Who would answer, and why: herma team who ${name}`
      cli.terminal.answer(added, () => `Added '${name}'.\n\n${describeTeam(added, hub.url, cli.terminal)}\n\n${next}`)
    })
}

const examples = `Examples:
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

import { resolve } from 'node:path'
import type { SecretKeysView, SecretView } from '@herma/contract'
import { Command, InvalidArgumentError } from 'commander'

import type { Cli } from '../terminal/cli.ts'
import { connectHub } from '../hub/connect-hub.ts'
import { CliError, exitCodes } from '../terminal/exit-codes.ts'
import { count } from '../terminal/format-quantity.ts'
import { formatFields, formatTable } from '../terminal/format-table.ts'
import { showProgress } from '../terminal/show-progress.ts'

/** In the order of `herma secret --help`. */
const commands = [listCommand, setCommand, generateCommand, removeCommand, rotateCommand, keysCommand]

export function secretCommand(cli: Cli): Command {
  const secret = new Command('secret')
    .description('store values that connectors refer to with {secret:NAME}, and rotate the keys that seal them')
    .addHelpText('after', `\n${examples}`)
  for (const create of commands) secret.addCommand(create(cli))
  return secret
}

const examples = `Examples:
  herma secret set GITHUB                                  asks for the value without showing it
  pass show github | herma secret set GITHUB               or takes it from standard input
  herma edit docs --header 'Authorization=Bearer {secret:GITHUB}'
  herma secret rotate                                      another data key, every value sealed anew`

function listCommand(cli: Cli): Command {
  return new Command('list')
    .alias('ls')
    .description('list the secrets and who uses them; values are never shown')
    .action(async () => {
      const { api } = await connectHub(cli)
      const answer = await api.listSecrets()
      cli.terminal.answer(answer, () => describeSecrets(cli, answer.secrets))
    })
}

function describeSecrets({ terminal }: Cli, secrets: readonly SecretView[]): string {
  if (secrets.length === 0) return 'There is none yet. Store one with: herma secret set NAME'
  const rows = secrets.map(({ name, updatedAt, usedBy, description, problem }) => [
    name,
    updatedAt,
    usedBy.length === 0 ? '-' : usedBy.join(', '),
    problem === null ? description : `cannot be used: ${problem}`,
  ])
  return formatTable([['NAME', 'CHANGED', 'USED BY', 'DESCRIPTION'], ...rows], terminal.columns)
}

const valueLimitBytes = 65_536

function setCommand(cli: Cli): Command {
  return (
    new Command('set')
      .description('store a secret, or another value of it; the value is asked for, or comes from standard input')
      .argument('<name>', 'name of the secret')
      // A value on the command line would stand in the history of the shell and in the list of processes.
      .argument('[more...]')
      .usage('NAME [options]')
      .option('--description <text>', 'what it is for')
      .option('--keep-value', 'change the description alone')
      .action(async (name: string, more: string[], flags: { description?: string; keepValue?: boolean }) => {
        if (more.length > 0)
          throw new CliError(
            exitCodes.usage,
            `A value has no place on the command line. Use: herma secret set ${name} < FILE`,
          )
        const { api } = await connectHub(cli)
        const { description } = flags
        const value = flags.keepValue ? undefined : await readValue(cli, name)
        const secret = await api.setSecret({ name, body: { value, description } })
        cli.terminal.answer(secret, () => describeStored(secret))
      })
  )
}

async function readValue({ terminal }: Cli, name: string): Promise<string> {
  const given = terminal.isInteractive
    ? await terminal.askHidden(`Value of ${name} (it is not shown): `)
    : await terminal.readInput(valueLimitBytes)
  // The line break at the end is the editor's, or the return key.
  const value = given.replace(/\r?\n$/, '')
  if (value === '') throw new CliError(exitCodes.usage, 'Nothing was given, so nothing was stored.')
  return value
}

function describeStored({ name, usedBy }: SecretView): string {
  const users =
    usedBy.length === 0 ? `Refer to it with {secret:${name}}.` : `Used by ${usedBy.join(', ')}: in effect from now on.`
  return `Stored '${name}'. ${users}`
}

function generateCommand(cli: Cli): Command {
  return new Command('generate')
    .description('make up a secret, store it, and print its value this once')
    .argument('<name>', 'name of the secret')
    .option('--bytes <number>', 'random bytes, 16 to 256', readNumber, 32)
    .option('--description <text>', 'what it is for')
    .action(async (name: string, { bytes, description }: { bytes: number; description?: string }) => {
      const { api } = await connectHub(cli)
      const secret = await api.generateSecret({ name, body: { bytes, description } })
      cli.terminal.answer(secret, () => secret.value)
      if (!cli.terminal.isMachine) cli.terminal.note(`Stored as '${name}'. Copy it now: it is not shown again.`)
    })
}

function readNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('Give a whole number.')
  return Number(text)
}

function removeCommand(cli: Cli): Command {
  return new Command('remove')
    .alias('rm')
    .description('forget a secret; one that connectors use is kept')
    .argument('<name>', 'name of the secret')
    .option('--force', 'forget it although connectors use it; they fail until there is one again')
    .action(async (name: string, { force }: { force?: boolean }) => {
      const { api } = await connectHub(cli)
      await api.removeSecret({ name, ...(force && { force: 'true' }) })
      cli.terminal.answer({ name, removed: true }, () => `Removed '${name}'.`)
    })
}

interface Flags {
  master?: boolean
  newKeyFile?: string
}

function rotateCommand(cli: Cli): Command {
  return new Command('rotate')
    .description('replace the data key and seal every value anew, or replace the master key; the hub goes on serving')
    .option('--master', 'the master key; one of HERMA_KEY_FILE or HERMA_KEY_COMMAND must have been replaced before')
    .option('--new-key-file <file>', 'let the key in this file, on the machine of the hub, open everything too')
    .action(async ({ master, newKeyFile }: Flags) => {
      const { api } = await connectHub(cli)
      const input = { master, newKeyFile: newKeyFile === undefined ? undefined : resolve(newKeyFile) }
      const rotating = api.rotateSecretKeys({ body: input }, { patient: true })
      const keys = await showProgress(cli.terminal, 'Rotating', rotating)
      cli.terminal.answer(keys, () => `${describeOutcome(input, keys)}\n\n${describeKeys(cli, keys)}`)
    })
}

function describeOutcome({ master, newKeyFile }: Flags, keys: SecretKeysView): string {
  if (newKeyFile === undefined) return master ? 'The master key is another one.' : 'Every value is sealed anew.'
  if (keys.master.next === null) return 'This is the present key. No other one waits any more.'
  return (
    'Both keys open everything now. Put the new one in place of the present one, then run: herma secret rotate --master. ' +
    'Or, for another place, set HERMA_KEY_FILE and start the hub again.'
  )
}

function keysCommand(cli: Cli): Command {
  return new Command('keys').description('show the keys that seal secrets: names and times').action(async () => {
    const { api } = await connectHub(cli)
    const keys = await api.listSecretKeys()
    cli.terminal.answer(keys, () => describeKeys(cli, keys))
  })
}

const sources = { home: 'the state home', file: 'HERMA_KEY_FILE', command: 'HERMA_KEY_COMMAND' }

function describeKeys({ terminal }: Cli, { master, dataKeys, unopened }: SecretKeysView): string {
  const since = (time: string | null) => (time === null ? '' : ` since ${time}`)
  const fields: [string, string][] = [
    ['Master key', `${master.id}${since(master.since)}, from ${sources[master.source]}`],
  ]
  if (master.next !== null) fields.push(['Waiting', `${master.next.id}${since(master.next.since)}`])
  if (unopened > 0) fields.push(['Not opening', `${count(unopened, 'value')}: enter them again, or put back their key`])
  const rows = dataKeys.map(({ id, state, createdAt, retiredAt }) => [id, state, createdAt, retiredAt ?? '-'])
  const table = formatTable([['DATA KEY', 'STATE', 'CREATED', 'RETIRED'], ...rows], terminal.columns)
  return `${formatFields(fields)}\n\n${table}`
}

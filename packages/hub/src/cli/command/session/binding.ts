import { resolve } from 'node:path'
import type { BindingPatch, BindingView, EffectiveValue } from '@herma/contract'
import { Command, Option } from 'commander'

import { cleanText } from '../../terminal/clean-text.ts'
import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { collect, readConnectorFlags } from '../../flag/connector-flags.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { clearFields } from '../../flag/clear-fields.ts'
import { jsonInput, type JsonOption, readJsonFields } from '../../flag/json-option.ts'
import { count } from '../../terminal/format-quantity.ts'
import { formatTable } from '../../terminal/format-table.ts'
import type { HubClient } from '../../hub/hub-client.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { mergeNamedValues } from '../connector/edit.ts'

export function bindCommand(cli: Cli): Command {
  return addBindingFlags(new Command('bind'))
    .description('let a session use the tools of a connector, with what differs for it; or change how it does')
    .argument('<session>', 'name of the session')
    .argument('<connector>', 'name of the connector, as herma list shows it')
    .addOption(jsonInput('FIELDS'))
    .addHelpText('after', `\n${examples}`)
    .action(async (session: string, connector: string, flags: BindingFlags & { json?: JsonOption }) => {
      const hub = await connectHub(cli)
      const stored = await findBinding(hub, session, connector)
      const patch: BindingPatch = {
        ...(await readBindingFlags(flags, stored, cli.terminal)),
        ...(await readJsonFields(flags.json, cli.terminal)),
      }
      const binding = await (stored === undefined
        ? hub.api.putBinding({ body: { ...patch, session, connector } })
        : hub.api.updateBinding({ name: session, connector, body: patch }))
      const text =
        stored === undefined
          ? `Bound '${connector}' to '${session}'.`
          : `'${session}' uses '${connector}' like this now.`
      cli.terminal.answer(binding, () => `${text}\n\n${describeBinding(binding, cli.terminal)}`)
    })
}

const examples = `Examples:
  herma session bind coder files --tool 'read_*' --cwd {cwd}
  herma session bind coder github --header Authorization=@token.txt
  herma session bind coder files --clear tool        all of its tools again`

export function unbindCommand(cli: Cli): Command {
  return new Command('unbind')
    .description('take a connector off a session')
    .argument('<session>', 'name of the session')
    .argument('<connector>', 'name of the connector')
    .action(async (session: string, connector: string) => {
      const { api } = await connectHub(cli)
      await api.removeBinding({ name: session, connector })
      cli.terminal.answer(
        { session, connector, removed: true },
        () => `'${session}' does not use '${connector}' any more.`,
      )
    })
}

async function findBinding(hub: HubClient, session: string, connector: string): Promise<BindingView | undefined> {
  const { bindings } = await hub.api.listSessionBindings({ name: session })
  return bindings.find((binding) => binding.connector === connector)
}

export function bindingsCommand(cli: Cli): Command {
  return new Command('bindings')
    .description('which connectors sessions use; of one, every value in effect and who said so')
    .argument('[session]', 'name of a session; absent: all')
    .argument('[connector]', 'name of a connector that is bound to it')
    .action(async (session: string | undefined, connector: string | undefined) => {
      const { api } = await connectHub(cli)
      const { bindings } = await (session === undefined
        ? api.listBindings()
        : api.listSessionBindings({ name: session }))
      if (connector === undefined)
        return cli.terminal.answer({ bindings }, () => describeList(cli.terminal, bindings, session))
      const binding = bindings.find((each) => each.connector === connector)
      if (binding === undefined)
        throw new CliError(
          exitCodes.notFound,
          `'${connector}' is not bound to '${session}'. Bind it: herma session bind ${session} ${connector}`,
          { code: 'BINDING_NOT_FOUND' },
        )
      cli.terminal.answer(binding, () => describeBinding(binding, cli.terminal))
    })
}

function describeList(terminal: Terminal, bindings: readonly BindingView[], session = 'SESSION'): string {
  if (bindings.length === 0) return `None is bound. Bind one: herma session bind ${session} CONNECTOR`
  const rows = bindings.map(({ session: name, connector, enabled, problem, hasOwnDownstream, tools, effective }) => [
    name,
    connector,
    problem === null ? (enabled ? 'on' : 'off') : 'problem',
    count(tools.length, 'tool'),
    hasOwnDownstream ? 'its own' : 'shared',
    effective.flatMap(({ source, field }) => (source === 'binding' ? [field] : [])).join(' ') || '-',
  ])
  const table = formatTable(
    [['SESSION', 'CONNECTOR', 'STATE', 'USES', 'CONNECTION', 'DIFFERS IN'], ...rows],
    terminal.columns,
  )
  const problems = bindings.flatMap(({ session: name, connector, problem }) =>
    problem === null ? [] : [[`${connector} at ${name}: ${problem}`]],
  )
  return problems.length === 0 ? table : `${table}\n\n${formatTable(problems)}`
}

/** The values in effect with their sources, then the tools. */
function describeBinding(binding: BindingView, terminal: Terminal): string {
  const { enabled, problem, tools, hasOwnDownstream, effective } = binding
  const rows = effective.map((value) => [value.field, describeValue(value), value.source])
  return [
    ...(problem === null ? [] : [terminal.style('red', cleanText(problem)), '']),
    ...(enabled ? [] : ['It is off.', '']),
    formatTable([['VALUE', 'IS', 'SAID BY'], ...rows], terminal.columns),
    '',
    `It has ${hasOwnDownstream ? 'a connection of its own' : 'the connection of everybody'}.`,
    tools.length === 0
      ? 'No tools are known so far: they are when the server was used once.'
      : `Tools: ${cleanText(tools.join(', '))}`,
  ].join('\n')
}

function describeValue({ value, secret }: EffectiveValue): string {
  if (secret) return '(secret)'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

interface BindingFlags {
  header?: string[]
  env?: string[]
  option?: string[]
  cwd?: string
  tool?: string[]
  enable?: boolean
  disable?: boolean
  removeHeader?: string[]
  removeEnv?: string[]
  clear?: string[]
}

const clearable = { option: { options: {} }, cwd: { cwd: null }, tool: { allowedTools: null } }

function addBindingFlags(command: Command): Command {
  return command
    .option('--tool <glob>', 'a tool that the session may use, by its name at the server; absent: all', collect)
    .option('--header <K=V>', 'HTTP header; K=@FILE reads the value from a file, K=@- from standard input', collect)
    .option('--env <K=V>', 'environment variable of its process; K=@FILE and K=@- as above', collect)
    .option('--option <key=value>', 'any option of a connector, for example requestTimeoutMs=60000', collect)
    .option('--cwd <dir>', 'working directory of its process; {cwd} = where the session works')
    .option('--remove-header <name>', 'as the connector has it', collect)
    .option('--remove-env <name>', 'the same for a variable', collect)
    .option('--clear <field>', `take one back: ${Object.keys(clearable).join(', ')}`, collect)
    .addOption(new Option('--disable', 'keep it without using it').conflicts('enable'))
    .option('--enable', 'use it again')
}

/** The changes that the flags ask for; a list is sent whole, with what is stored of it. */
async function readBindingFlags(
  flags: BindingFlags,
  stored: BindingView | undefined,
  terminal: Terminal,
): Promise<BindingPatch> {
  const { header = [], env = [], option = [], cwd, tool, enable, disable, removeHeader = [], removeEnv = [] } = flags
  const read = await readConnectorFlags({ header, env, option }, terminal)
  const given: BindingPatch = {
    ...(header.length + removeHeader.length > 0 && {
      headers: mergeNamedValues(stored?.headers ?? [], read.headers, removeHeader, isSameHeader),
    }),
    ...(env.length + removeEnv.length > 0 && {
      env: mergeNamedValues(stored?.env ?? [], read.env, removeEnv, (a, b) => a === b),
    }),
    ...(option.length > 0 && { options: { ...stored?.options, ...read.fields.options } }),
    ...(cwd !== undefined && { cwd: cwd.includes('{') ? cwd : resolve(cwd) }),
    ...(tool !== undefined && { allowedTools: tool }),
    ...((enable === true || disable === true) && { enabled: enable === true }),
  }
  return { ...given, ...clearFields(flags.clear ?? [], clearable, given) }
}

function isSameHeader(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

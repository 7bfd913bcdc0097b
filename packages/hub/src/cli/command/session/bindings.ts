import type { BindingView, EffectiveValue } from '@herma/contract'
import { Command } from 'commander'

import { cleanText } from '../../clean-text.ts'
import { type Cli, connectHub } from '../../cli.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import { count } from '../../format-quantity.ts'
import { formatTable } from '../../format-table.ts'
import type { Terminal } from '../../terminal.ts'
import { sessionPath } from './session-path.ts'

export function bindingsCommand(cli: Cli): Command {
  return new Command('bindings')
    .description('which connectors sessions use; of one, every value in effect and who said so')
    .argument('[session]', 'name of a session; absent: all')
    .argument('[connector]', 'name of a connector that is bound to it')
    .action(async (session: string | undefined, connector: string | undefined) => {
      const hub = await connectHub(cli)
      const path = session === undefined ? '/api/bindings' : sessionPath(session, '/bindings')
      const { bindings } = await hub.send<{ bindings: BindingView[] }>('GET', path)
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
export function describeBinding(binding: BindingView, terminal: Terminal): string {
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

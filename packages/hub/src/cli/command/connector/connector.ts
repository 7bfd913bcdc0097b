import type { ConnectorUses, ConnectorView, NamedValueView } from '@herma/contract'
import { Command } from 'commander'

import { cleanText, oneLine } from '../../terminal/clean-text.ts'
import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { describePlace } from '../../terminal/describe-place.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { count } from '../../terminal/format-quantity.ts'
import { formatFields, formatTable } from '../../terminal/format-table.ts'
import type { HubClient } from '../../hub/hub-client.ts'

export function listCommand(cli: Cli): Command {
  return new Command('list')
    .alias('ls')
    .description('list the connectors and how they are doing')
    .action(async () => {
      const { api } = await connectHub(cli)
      const answer = await api.listConnectors()
      cli.terminal.answer(answer, () => describeConnectors(cli, answer.connectors))
    })
}

function describeConnectors({ terminal }: Cli, connectors: readonly ConnectorView[]): string {
  if (connectors.length === 0) return 'No connectors yet. Add one: herma add NAME URL, or herma add NAME -- CMD ARGS'
  const rows = connectors.map((connector) => [
    connector.name,
    connector.problem === null ? connector.health.state : 'problem',
    connector.transport,
    String(connector.counts.tools),
    describePlace(connector),
  ])
  const table = formatTable([['NAME', 'STATE', 'TRANSPORT', 'TOOLS', 'WHERE'], ...rows], terminal.columns)
  const [head = '', ...lines] = table.split('\n')
  const problems = connectors.flatMap(({ name, problem, health }) => {
    const reason =
      problem ?? (health.state === 'failed' || health.state === 'backoff' ? health.lastError?.message : null)
    return [...(reason ? [reason] : []), ...health.leftOut].map((line) => `${name}: ${line}`)
  })
  return [
    terminal.style('bold', head),
    ...lines,
    ...(problems.length === 0 ? [] : ['', formatTable(problems.map((line) => [line]))]),
  ].join('\n')
}

export function showCommand(cli: Cli): Command {
  return new Command('show')
    .description('show one connector with its health; secret values are never shown')
    .argument('<name>', 'name of the connector')
    .action(async (name: string) => {
      const { api } = await connectHub(cli)
      const [connector, usedBy] = await Promise.all([api.getConnector({ name }), api.getConnectorUses({ name })])
      cli.terminal.answer({ ...connector, usedBy }, () => describeConnector(connector, usedBy))
    })
}

/** Fields without a value are left out. */
export function describeConnector(connector: ConnectorView, usedBy?: ConnectorUses): string {
  const { counts, health } = connector
  const fields: [string, string][] = [
    ['Name', connector.name],
    ['Description', cleanText(connector.description)],
    ['State', connector.problem === null ? health.state : `not served: ${cleanText(connector.problem)}`],
    ['Transport', describeTransport(connector)],
    [connector.transport === 'stdio' ? 'Command' : 'URL', oneLine(describePlace(connector))],
    ['Working dir', connector.workingDir ?? ''],
    ['Isolated', connector.touches?.isolated.map(cleanText).join('\n') ?? ''],
    ['Not isolated', connector.touches?.open.map(cleanText).join('\n') ?? ''],
    ['Headers', connector.headers.map(describeValue).join('\n')],
    ['Environment', connector.env.map(describeValue).join('\n')],
    ['OAuth', describeOAuth(connector)],
    ['Signed in', describeSignIn(connector)],
    [
      'Options',
      Object.entries(connector.options)
        .map(([key, value]) => `${key}=${value}`)
        .join('\n'),
    ],
    ['Notes', cleanText(connector.notes)],
    ['Warnings', connector.warnings.map(cleanText).join('\n')],
    [
      'Offers',
      [
        count(counts.tools, 'tool'),
        count(counts.resources, 'resource'),
        count(counts.resourceTemplates, 'resource template'),
        count(counts.prompts, 'prompt'),
      ].join(', '),
    ],
    ...describeHealth(connector),
    ['Last test', describeTest(connector)],
    ['Used by', usedBy === undefined ? '' : describeUses(usedBy)],
    ['Changed', connector.updatedAt],
  ]
  return formatFields(fields.filter(([, value]) => value !== ''))
}

function describeTransport({ transport, health }: ConnectorView): string {
  const isOlder = transport === 'stream' && health.transport === 'sse'
  return isOlder ? 'stream, found to be HTTP+SSE' : transport
}

function describeHealth({ health }: ConnectorView): [string, string][] {
  const { serverInfo, revision, era, lastError } = health
  const speaks = [revision, era === null ? null : `(${era})`].filter((part) => part !== null).join(' ')
  return [
    ['Server', serverInfo === null ? '' : oneLine(`${serverInfo.name} ${serverInfo.version}`)],
    ['Protocol', speaks],
    [
      health.processes.length > 1 ? `${health.processes.length} processes` : 'Process',
      health.processes.map(({ processId, reason }) => `${processId} ${cleanText(reason)}`).join('\n'),
    ],
    ['Calls', `${health.callCount}, ${health.errorCount} failed, ${health.inFlight} under way`],
    ['Latency', health.latencyMs === null ? '' : `${health.latencyMs.toFixed(1)} ms`],
    ['Restarts', health.restartCount === 0 ? '' : String(health.restartCount)],
    ['Failed starts', health.failedStarts === 0 ? '' : `${health.failedStarts} in a row`],
    ['Starts again', health.retryAt ?? ''],
    ['Left out', health.leftOut.map(cleanText).join('\n')],
    ['Last error', lastError === null ? '' : `${lastError.at} ${cleanText(lastError.message)}`],
  ]
}

function describeTest({ lastTest }: ConnectorView): string {
  if (lastTest === null) return ''
  const { at, ok, ms, cause } = lastTest
  return `${at} ${ok ? `well, in ${ms} ms` : `failed: ${cleanText(cause ?? '')}`}`
}

function describeUses({ servers, sessions, aggregates }: ConnectorUses): string {
  return [
    ...servers.map((name) => `server ${name}`),
    ...sessions.map((name) => `session ${name}`),
    ...aggregates.map((name) => `tool ${name}`),
  ].join('\n')
}

function describeOAuth({ oauth }: ConnectorView): string {
  if (oauth === null) return ''
  const { hasClientSecret, hasPrivateKey, ...open } = oauth
  const secrets = { clientSecret: hasClientSecret, privateKey: hasPrivateKey }
  return [
    ...Object.entries(open).map(([name, value]) => `${name}=${oneLine(value)}`),
    ...Object.entries(secrets).flatMap(([name, isStored]) => (isStored ? [`${name}=(secret, stored)`] : [])),
  ].join('\n')
}

function describeSignIn({ name, signIn }: ConnectorView): string {
  switch (signIn?.state) {
    case undefined:
    case 'none':
      return ''
    case 'needed':
      return `no. Sign in: herma login ${name}`
    case 'waiting':
      return 'waiting for a person'
    case 'signed-in':
      return ['yes', signIn.issuer, signIn.scope]
        .filter((part) => part !== null)
        .map(oneLine)
        .join(', ')
  }
}

function describeValue({ name, value, secret, stored, personal, changedAt }: NamedValueView): string {
  if (personal === true) return `${oneLine(name)}=(everybody's own)`
  const since = changedAt === undefined ? '' : ` changed ${changedAt}`
  return `${oneLine(name)}=${secret ? (stored ? `(secret, stored)${since}` : '(secret, not set)') : oneLine(value ?? '')}`
}

export function enableCommand(cli: Cli): Command {
  return switchCommand(cli, { word: 'enable', enabled: true, done: 'Enabled' })
}

export function disableCommand(cli: Cli): Command {
  return switchCommand(cli, { word: 'disable', enabled: false, done: 'Disabled' })
}

function switchCommand(cli: Cli, { word, enabled, done }: { word: string; enabled: boolean; done: string }): Command {
  return new Command(word)
    .description(enabled ? 'serve connectors again' : 'stop serving connectors without forgetting them')
    .argument('<name...>', 'names of connectors')
    .action((names: string[]) =>
      forEachConnector(cli, names, async (hub, name) => {
        await hub.api.updateConnector({ name, body: { enabled } })
        return `${done} '${name}'.`
      }),
    )
}

export function removeCommand(cli: Cli): Command {
  return new Command('remove')
    .alias('rm')
    .description('remove connectors with their stored secrets')
    .argument('<name...>', 'names of connectors')
    .action((names: string[]) =>
      forEachConnector(cli, names, async (hub, name) => {
        await hub.api.removeConnector({ name })
        return `Removed '${name}'.`
      }),
    )
}

interface Outcome {
  readonly name: string
  readonly ok: boolean
  readonly message: string
}

/** Does the same to several connectors. One that fails does not stop the others, but decides the exit code. */
export async function forEachConnector(
  cli: Cli,
  names: readonly string[],
  act: (hub: HubClient, name: string) => Promise<string>,
): Promise<void> {
  const hub = await connectHub(cli)
  const outcomes: Outcome[] = []
  for (const name of new Set(names)) {
    try {
      outcomes.push({ name, ok: true, message: await act(hub, name) })
    } catch (error) {
      if (!(error instanceof CliError) || error.exitCode === exitCodes.hubNotRunning) throw error
      cli.exitCode = error.exitCode
      outcomes.push({ name, ok: false, message: error.message })
    }
  }
  if (cli.terminal.isMachine) return cli.terminal.answer({ connectors: outcomes }, () => '')
  for (const { ok, message } of outcomes) {
    if (ok) cli.terminal.print(message)
    else cli.terminal.note(message)
  }
}

import type { ConnectorUses, ConnectorView, NamedValueView } from '@herma/contract'
import { Command } from 'commander'

import { cleanText, oneLine } from '../clean-text.ts'
import { type Cli, connectHub } from '../cli.ts'
import { describePlace } from '../describe-place.ts'
import { count } from '../format-quantity.ts'
import { formatFields } from '../format-table.ts'
import { connectorPath } from '../hub-client.ts'

export function showCommand(cli: Cli): Command {
  return new Command('show')
    .description('show one connector with its health; secret values are never shown')
    .argument('<name>', 'name of the connector')
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      const [connector, usedBy] = await Promise.all([
        hub.send<ConnectorView>('GET', connectorPath(name)),
        hub.send<ConnectorUses>('GET', connectorPath(name, '/uses')),
      ])
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

function describeValue({ name, value, secret, stored, personal }: NamedValueView): string {
  if (personal === true) return `${oneLine(name)}=(everybody's own)`
  return `${oneLine(name)}=${secret ? (stored ? '(secret, stored)' : '(secret, not set)') : oneLine(value ?? '')}`
}

import {
  ConnectorInput,
  type ConnectorPatch,
  type ConnectorView,
  type LogLine,
  type TestReport,
  type ToolSummary,
} from '@herma/contract'
import { NotFound, type App } from '@herma/framework'
import { z } from 'zod'
import { isConfirmed } from './is-confirmed.ts'

/** What agents may do with connectors. */
export interface ManagedConnectors {
  list(): ConnectorView[]
  get(name: string): ConnectorView
  add(input: ConnectorInput): Promise<ConnectorView>
  update(name: string, patch: ConnectorPatch): Promise<ConnectorView>
  remove(name: string): Promise<void>
  test(name: string): Promise<TestReport>
  tools(name: string): ToolSummary[]
  logs(name: string, limit?: number): LogLine[]
}

const named = z.object({ name: z.string().describe('Name of a connector; see list_connectors.') })
const reading = { readOnlyHint: true, openWorldHint: false }

/** Tools, resources and completions for connectors. */
export function addConnectorTools<T extends {}>(app: App<T, undefined>, connectors: ManagedConnectors) {
  const names = (typed: string) => connectors.list().flatMap(({ name }) => (name.startsWith(typed) ? [name] : []))
  return app
    .tool(
      'list_connectors',
      { description: 'Every connector, its transport and the state of its server.', annotations: reading },
      () => connectors.list().map((connector) => summarise(connector)),
    )
    .tool(
      'show_connector',
      { description: 'One connector in full, without its secrets.', input: named, annotations: reading },
      (args) => toJson(connectors.get(args.name)),
    )
    .tool(
      'list_connector_tools',
      { description: 'The tools that the server of a connector offers.', input: named, annotations: reading },
      (args) => toJson(connectors.tools(args.name)),
    )
    .tool(
      'read_connector_log',
      {
        description: 'The last lines that the server of a connector wrote to its log.',
        input: named.extend({ lines: z.int().min(1).max(500).default(50) }),
        annotations: reading,
      },
      ({ name, lines }) =>
        connectors
          .logs(name, lines)
          .map(({ at, text }) => `${at} ${text}`)
          .join('\n'),
    )
    .tool(
      'test_connector',
      {
        description: 'Starts the server of a connector once more, apart from the one in use, and says what works.',
        input: named,
        annotations: { openWorldHint: true },
      },
      async ({ name }) => toJson(await connectors.test(name)),
    )
    .tool(
      'add_connector',
      {
        description: 'Stores a connector and serves it at once. Values of secrets are never shown again.',
        input: ConnectorInput,
      },
      async (connector) => toJson(await connectors.add(connector)),
    )
    .tool(
      'switch_connector',
      { description: 'Turns a connector on or off.', input: named.extend({ enabled: z.boolean() }) },
      async ({ name, enabled }) => summarise(await connectors.update(name, { enabled })),
    )
    .tool(
      'remove_connector',
      {
        description: 'Forgets a connector with its secrets. The person is asked first, where the client can ask.',
        input: named,
        annotations: { destructiveHint: true },
      },
      async ({ name }, context) => {
        connectors.get(name)
        if (!(await isConfirmed(`the connector '${name}'`, context))) return `'${name}' was kept.`
        await connectors.remove(name)
        return `'${name}' is removed.`
      },
    )
    .resource(
      'herma://connectors/{name}',
      {
        name: 'Connector',
        description: 'One connector, without its secrets.',
        mimeType: 'application/json',
        complete: { name: names },
        list: () => connectors.list().map(({ name }) => ({ uri: `herma://connectors/${name}`, name })),
      },
      ({ name }, { uri }) => {
        const known = connectors.list().find((connector) => connector.name === name)
        if (known === undefined) throw new NotFound(uri.href, 'connector')
        return JSON.stringify(known)
      },
    )
}

function summarise({ name, transport, enabled, health }: ConnectorView) {
  return { name, transport, enabled, state: health.state }
}

/** A copy as JSON sees it: without undefined fields and with dates as text. */
function toJson(value: object) {
  return JSON.parse(JSON.stringify(value)) as { [key: string]: never }
}

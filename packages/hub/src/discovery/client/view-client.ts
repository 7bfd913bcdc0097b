import type { ClientConfigView, ClientServerView, ConnectorInput, ConnectorView } from '@herma/contract'
import type { ClientServer } from '../client-config.ts'
import { previewCommand, previewUrl } from '../recipe/preview-command.ts'
import type { FoundClient } from './find-clients.ts'
import { isSameServer } from './is-same-server.ts'

export interface Surroundings {
  readonly connectors: readonly ConnectorView[]
  /** Whether a server is this hub, which must not become a server of its own. */
  isHerma(input: ConnectorInput): boolean
}

/** A client's configuration as it is shown: no value of a header or variable leaves the hub. */
export function viewClient(client: FoundClient, around: Surroundings): ClientConfigView {
  const { id, title, file, exists, problem, servers, failed } = client
  return {
    id,
    title,
    file,
    exists,
    problem,
    servers: [
      ...servers.map((server) => viewServer(server, around)),
      ...failed.map(({ name, reason }): ClientServerView => ({ ...unreadable, name, problem: reason })),
    ],
  }
}

const unreadable: Omit<ClientServerView, 'name' | 'problem'> = {
  connector: '',
  state: 'unreadable',
  sameAs: null,
  transport: null,
  command: null,
  url: null,
  headers: [],
  env: [],
  remarks: [],
}

function viewServer({ name, input, remarks }: ClientServer, { connectors, isHerma }: Surroundings): ClientServerView {
  const same = connectors.find((connector) => isSameServer(input, connector))
  return {
    name,
    connector: input.name,
    state: isHerma(input) ? 'herma' : same === undefined ? 'new' : 'same',
    sameAs: same?.name ?? null,
    transport: input.transport,
    command: input.cmd === undefined ? null : previewCommand(input.cmd, input.args ?? []),
    url: input.baseUrl === undefined ? null : previewUrl(input.baseUrl),
    headers: namesOf(input.headers),
    env: namesOf(input.env),
    remarks: [...remarks],
    problem: null,
  }
}

function namesOf(values: ConnectorInput['headers'] = []): string[] {
  return values.map(({ name }) => name)
}

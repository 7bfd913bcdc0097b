import { ConnectorInput, type Connector, type ConnectorOptions } from '@herma/contract'
import { modernRevision, type Call, type Era, type Message, type Params } from '../../wire/index.ts'
import type { Handshake } from '../link/handshake.ts'
import { LinkSupervisor, networkBackoff } from '../supervision/link-supervisor.ts'
import { toLinkSettings } from '../link/link-settings.ts'
import { Link, type LinkOwner, type Pending } from '../link/link.ts'

/** A connector with everything at its default but these. */
export function createConnector(
  options: Partial<ConnectorOptions> = {},
  transport: 'stdio' | 'stream' = 'stdio',
): Connector {
  const place = transport === 'stdio' ? { cmd: 'x' } : { baseUrl: 'http://127.0.0.1:9' }
  return ConnectorInput.parse({ name: 'srv', transport, ...place, options })
}

export function createHandshake(era: Era, capabilities: Record<string, unknown> = {}): Handshake {
  const revision = era === 'modern' ? modernRevision : '2025-11-25'
  const result = era === 'modern' ? { supportedVersions: [revision] } : { protocolVersion: revision }
  return { era, revision, capabilities, serverInfo: null, instructions: null, result }
}

/** A link to nowhere that writes down what it is told to send. */
export class TestLink extends Link {
  readonly subscribed: unknown[] = []
  readonly requested: { method: string; params: Params | undefined }[] = []
  readonly posted: Message[] = []
  /** What the hub's own requests are answered with, by method. */
  answers: Record<string, unknown> = {}
  openError: Error | null = null

  constructor(owner: Partial<LinkOwner> = {}, connector = createConnector()) {
    const tokens = { cwd: '/', session_id: '', thread_id: '', server_id: '', hop_limit: '' }
    super(toLinkSettings(connector, tokens, { connectorId: 'id', capabilities: {}, authorization: null }), {
      ...silentOwner,
      ...owner,
    })
  }

  async open(): Promise<void> {
    if (this.openError !== null) throw this.openError
    this.handshake ??= createHandshake('legacy')
  }

  send(call: Call): void {
    const id = this.nextId()
    const cancel = () => this.end(id)
    this.pending.set(id, { ...createPending(id, call), cancel })
    call.runner = { connector: 'srv', connectorId: 'id', cancel }
  }

  /** The server has answered. */
  end(id: number): void {
    const pending = this.pending.get(id)
    if (pending !== undefined) this.finish(pending, null)
  }

  override async request(method: string, params: Params | undefined): Promise<unknown> {
    this.requested.push({ method, params })
    return this.answers[method] ?? {}
  }

  post(message: Message): void {
    this.posted.push(message)
  }

  subscribe(uris: ReadonlySet<string>, added: string | null, removed: string | null): void {
    this.subscribed.push(this.era === 'modern' ? [...uris] : added === null ? `-${removed}` : `+${added}`)
  }

  async close(): Promise<void> {
    this.isClosed = true
  }
}

export function createPending(id: number, call: Call): Pending {
  return { id, call, startedAt: 0, lastActivityAt: 0, asking: 0, cancel: () => {} }
}

/** A supervisor of such links. */
export function createSupervisor(create: () => Link, onReady: (link: Link) => void = () => {}): LinkSupervisor {
  return new LinkSupervisor({
    name: 'srv',
    maxRestarts: 5,
    backoff: networkBackoff,
    create,
    open: (link) => link.open(null),
    onReady,
    onState: () => {},
  })
}

const silentOwner: LinkOwner = {
  onNotification: () => {},
  onQuestion: () => Promise.resolve({ result: {} }),
  onStrayQuestion: () => {},
  onUnanswerable: () => {},
  onInputRequired: () => {},
  onSignInRequired: (call, error) => call.fail(error),
  onUnsent: () => {},
  onFinished: () => {},
  onDoubt: () => {},
  onClosed: () => {},
  onRemark: () => {},
}

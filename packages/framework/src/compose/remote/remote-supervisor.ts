import {
  Client,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { RemoteLink } from './remote-link.ts'
import type { Target } from './remote-target.ts'
import { RemoteUnavailable } from './remote-unavailable.ts'

export interface SupervisorOptions {
  /** The client capabilities that a legacy server is told in `initialize`. */
  readonly capabilities: object
  readonly connectTimeoutMs: number
  readonly firstRetryMs: number
  readonly maxRetryMs: number
  onListChanged(method: string): void
  /** The server went away, or came back. */
  onTurn(): void
}

/** Keeps the connection to a remote server: opened when it is first needed, and again after a loss. */
export class RemoteSupervisor {
  readonly #target: Target
  readonly #options: SupervisorOptions
  #opening: Promise<RemoteLink> | undefined
  #current: RemoteLink | undefined
  #failures = 0
  #failure: RemoteUnavailable | undefined
  #timer: NodeJS.Timeout | undefined
  #isStopping = false

  constructor(target: Target, options: SupervisorOptions) {
    this.#target = target
    this.#options = options
  }

  /** The connection, or why there is none. While a retry is due later, the last failure answers at once. */
  async link(): Promise<RemoteLink> {
    if (this.#isStopping) throw new RemoteUnavailable(this.#target.label, 'it was stopped')
    if (this.#timer !== undefined && this.#failure !== undefined) throw this.#failure
    return (this.#opening ??= this.#open())
  }

  /** Gives up a connection. It is opened again later, or at once when the server only forgot the session. */
  drop(link: RemoteLink, reason: unknown, isForgotten: boolean): void {
    if (link !== this.#current) return
    this.#lost(link, reason, isForgotten)
    // It may be closed already; nobody waits for it.
    if (this.#target.client === undefined) link.client.close().catch(() => {})
  }

  /** Ends the connection. It is opened again when it is needed after that, as a server may serve again. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    const link = await this.#opening?.catch(() => undefined)
    this.#opening = undefined
    this.#current = undefined
    this.#failure = undefined
    this.#failures = 0
    try {
      if (link !== undefined) await this.#close(link)
    } finally {
      this.#isStopping = false
    }
  }

  async #close(link: RemoteLink): Promise<void> {
    link.lost(new RemoteUnavailable(this.#target.label, 'it was stopped'))
    if (this.#target.client !== undefined) return link.release()
    await endSession(link.client.transport)
    await link.client.close()
  }

  async #open(): Promise<RemoteLink> {
    try {
      return this.#opened(await this.#connect())
    } catch (error) {
      this.#opening = undefined
      throw this.#failed(error)
    }
  }

  #opened(link: RemoteLink): RemoteLink {
    const { client } = link
    const before = client.onclose
    client.onclose = () => {
      before?.call(client)
      if (link === this.#current) this.#lost(link, 'the connection was lost', false)
    }
    link.onListChanged = (method) => this.#options.onListChanged(method)
    this.#current = link
    this.#failures = 0
    const wasDown = this.#failure !== undefined
    this.#failure = undefined
    this.#listen(link)
    if (wasDown && !this.#isStopping) this.#options.onTurn()
    return link
  }

  async #connect(): Promise<RemoteLink> {
    const { client, open } = this.#target
    if (client !== undefined) {
      if (client.transport === undefined) throw new Error('the client that was given is closed')
      return new RemoteLink(client)
    }
    try {
      return await this.#connectWith('auto', open!())
    } catch (error) {
      // Some legacy programs exit on a request before `initialize`: start them again without the probe.
      if (!(error instanceof SdkError) || error.code !== SdkErrorCode.EraNegotiationFailed || this.#isStopping)
        throw error
      return this.#connectWith('legacy', open!())
    }
  }

  async #connectWith(mode: 'auto' | 'legacy', transport: Transport): Promise<RemoteLink> {
    const { capabilities, connectTimeoutMs } = this.#options
    // Half of the time is for finding out that a silent program is a legacy one.
    const versionNegotiation = { mode, probe: { timeoutMs: connectTimeoutMs / 2 } }
    const client = new Client({ name: 'herma-remote', version: '1.0.0' }, { capabilities, versionNegotiation })
    try {
      await client.connect(transport, { timeout: connectTimeoutMs })
      return new RemoteLink(client)
    } catch (error) {
      // The first failure is the one to tell of.
      await transport.close().catch(() => {})
      throw error
    }
  }

  /** Modern servers announce changes to those who listen. When the stream ends the server may have changed unseen. */
  #listen(link: RemoteLink): void {
    const { tools, prompts, resources } = link.client.getServerCapabilities() ?? {}
    const filter = {
      ...(tools?.listChanged === true && { toolsListChanged: true }),
      ...(prompts?.listChanged === true && { promptsListChanged: true }),
      ...(resources?.listChanged === true && { resourcesListChanged: true }),
    }
    if (!link.isModern || Object.keys(filter).length === 0) return
    const hear = async () => {
      const { closed } = await link.client.listen(filter)
      if ((await closed) !== 'local') this.drop(link, 'the connection was lost', false)
    }
    // A server that refuses to announce changes is treated like one that has none.
    hear().catch(() => {})
  }

  #lost(link: RemoteLink, reason: unknown, isForgotten: boolean): void {
    this.#opening = undefined
    this.#current = undefined
    if (isForgotten || this.#isStopping) return
    link.lost(this.#failed(reason))
    this.#options.onTurn()
  }

  #failed(reason: unknown): RemoteUnavailable {
    const failure = new RemoteUnavailable(this.#target.label, reason)
    this.#failure = failure
    if (!this.#isStopping && this.#target.client === undefined) this.#retryLater()
    return failure
  }

  /** Goes on trying by itself, so that clients learn when the server is back. */
  #retryLater(): void {
    const { firstRetryMs, maxRetryMs } = this.#options
    const delayMs = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(this.#failures++, 20))
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      // `link` keeps the failure for later callers and plans the next try.
      if (!this.#isStopping) this.link().catch(() => {})
    }, delayMs).unref()
  }
}

/** Tells a server that keeps a session that it can forget it. */
async function endSession(transport: Transport | undefined): Promise<void> {
  if (!(transport instanceof StreamableHTTPClientTransport)) return
  // A server that is gone has forgotten it anyway.
  await transport.terminateSession().catch(() => {})
}

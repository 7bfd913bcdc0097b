import { HubError } from '@herma/contract'
import type { Dispatcher } from 'undici'
import { Pool } from '../../platform/network/index.ts'
import { SseParser, type SseEvent } from '../../wire/index.ts'
import { findHeader, isChallenge, type Challenge } from '../authorization/challenge.ts'
import { sendAuthorized } from '../authorization/send-authorized.ts'
import type { Channel, ChannelEvents } from './channel.ts'
import { toErrorText } from '../link/link.ts'
import type { LinkEnvironment } from '../link/link-environment.ts'
import type { LinkSettings } from '../link/link-settings.ts'
import { retryAfterData } from '../link/http/retry-after.ts'

interface StreamEvents {
  onEvent(event: SseEvent): void
  failed(why: string): void
  onRefused(status: number, header: (name: string) => string | null): void
}

/** HTTP+SSE of 2024-11-05: messages come on one event stream and go as posts to the endpoint that it names. */
export class SseChannel implements Channel {
  readonly processId = null
  readonly #settings: LinkSettings
  readonly #events: ChannelEvents
  readonly #pool: Pool
  readonly #buffers: LinkEnvironment['buffers']
  #abort: ((error?: Error) => void) | null = null
  #endpoint: string | null = null
  #lastWrite: Promise<void> = Promise.resolve()
  #isClosing = false
  #hasEnded = false

  constructor(
    settings: LinkSettings,
    events: ChannelEvents,
    { guard, buffers }: Pick<LinkEnvironment, 'guard' | 'buffers'>,
  ) {
    this.#settings = settings
    this.#events = events
    this.#buffers = buffers
    this.#pool = new Pool(settings.url!.origin, {
      connections: settings.options.maxConcurrency + 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: guard.connector({ timeout: Math.min(settings.options.handshakeTimeoutMs, 10_000) }),
    })
  }

  async open(): Promise<void> {
    const { authorization } = this.#settings
    const refusal = await this.#listen()
    if (refusal === null) return
    await authorization!.renew(refusal)
    if ((await this.#listen()) === null) return
    const { name } = this.#settings
    const text = `'${name}' answered HTTP ${refusal.status} to a new token too. Run: herma login ${name}`
    throw new HubError('SIGN_IN_REQUIRED', text)
  }

  /** Opens the event stream; resolves with how the server refused it, when another token may help. */
  #listen(): Promise<Challenge | null> {
    const url = this.#settings.url!
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => failed('named no endpoint in time'), this.#settings.options.handshakeTimeoutMs)
      const failed = (why: string, data?: unknown) => {
        clearTimeout(timer)
        const error = new HubError('DOWNSTREAM_UNAVAILABLE', `'${this.#settings.name}' ${why}.`, { data })
        reject(error)
        this.#abort?.(error)
      }
      const onEvent = (event: SseEvent) => {
        if (event.type !== 'endpoint') return this.#events.onMessage(event.data)
        const endpoint = new URL(event.data.toString('utf8'), url)
        // Posting to another origin would hand our headers to whoever the stream names.
        if (endpoint.origin !== url.origin) return failed(`named an endpoint of another origin, ${endpoint.origin}`)
        this.#endpoint = endpoint.pathname + endpoint.search
        clearTimeout(timer)
        resolve(null)
      }
      const sent = this.#settings.authorization?.header() ?? null
      const onRefused: StreamEvents['onRefused'] = (status, find) => {
        const header = find('www-authenticate')
        if (this.#settings.authorization === null || !isChallenge(status, header)) {
          failed(`answered HTTP ${status} to the request for its event stream`, retryAfterData(find('retry-after')))
        } else {
          clearTimeout(timer)
          resolve({ status, header, sent })
          this.#abort?.()
        }
      }
      const headers = ['accept', 'text/event-stream', 'cache-control', 'no-cache', ...this.#ownHeaders()]
      const path = url.pathname + url.search
      this.#pool.dispatch({ path, method: 'GET', headers }, this.#handler({ onEvent, failed, onRefused }))
    })
  }

  #ownHeaders(): string[] {
    const authorization = this.#settings.authorization?.header() ?? null
    return authorization === null
      ? [...this.#settings.headers]
      : [...this.#settings.headers, 'authorization', authorization]
  }

  #handler({ onEvent, failed, onRefused }: StreamEvents): Dispatcher.DispatchHandler {
    const parser = new SseParser(onEvent, this.#settings.options.maxMessageBytes)
    let resume = () => {}
    const ended = (why: string) => (this.#endpoint === null ? failed(why) : this.#end(why))
    return {
      onConnect: (abort) => {
        this.#abort = abort
      },
      onHeaders: (status, headers, onResume) => {
        resume = onResume
        if (status !== 200) onRefused(status, (name) => findHeader(headers, name))
        return true
      },
      onData: (chunk) => {
        try {
          parser.push(chunk)
        } catch (error) {
          ended(toErrorText(error))
          this.#abort?.()
        }
        if (!this.#buffers.isFull) return true
        this.#buffers.waitForRoom(this, resume)
        return false
      },
      onComplete: () => ended('closed its event stream. Calls under way may have run'),
      onError: (error) => ended(`broke its event stream: ${toErrorText(error)}. Calls under way may have run`),
    }
  }

  write(message: string): HubError | null {
    if (this.#endpoint === null || this.#hasEnded) {
      return new HubError('DOWNSTREAM_UNAVAILABLE', `'${this.#settings.name}' is not connected.`)
    }
    const path = this.#endpoint
    const send = () => {
      const headers = ['content-type', 'application/json', ...this.#ownHeaders()]
      return this.#pool.request({ path, method: 'POST', headers, body: message })
    }
    this.#lastWrite = sendAuthorized(this.#settings.authorization, send)
      .then(async (response) => {
        await response.body.dump()
        if (response.statusCode >= 400) this.#end(`refused a message with HTTP ${response.statusCode}`)
      })
      .catch((error: unknown) => this.#end(`did not take a message: ${toErrorText(error)}`))
    return null
  }

  // Posts go over several sockets, so a later one could overtake.
  flush(): Promise<void> {
    return this.#lastWrite
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.#abort?.()
    await this.#pool.destroy()
  }

  #end(why: string): void {
    if (this.#hasEnded || this.#isClosing) return
    this.#hasEnded = true
    this.#abort?.()
    this.#events.onEnd(new HubError('DOWNSTREAM_FAILED', `'${this.#settings.name}' ${why}.`))
    void this.#pool.destroy()
  }
}

import { Capture, HubError, type CapturePatch, type CaptureView } from '@herma/contract'
import type { Events } from '../../platform/events.ts'
import type { CaptureStore } from './store.ts'

const byDefault: Capture = { level: 'calls', sample: 1, maxBodyBytes: 65_536 }

/** What is recorded of the traffic of each served server. */
export class Captures {
  readonly #options: { store: CaptureStore; events: Events; servers(): readonly string[] }
  #captures = new Map<string, Capture>()

  constructor(options: { store: CaptureStore; events: Events; servers(): readonly string[] }) {
    this.#options = options
  }

  async start(): Promise<void> {
    this.#captures = await this.#options.store.load()
  }

  /** It is asked for every request, and answers from memory. */
  captureOf(server: string): Capture {
    return this.#captures.get(server) ?? byDefault
  }

  list(): CaptureView[] {
    return this.#options.servers().map((server) => ({ server, ...this.captureOf(server) }))
  }

  async change(server: string, patch: CapturePatch): Promise<CaptureView> {
    const servers = this.#options.servers()
    if (!servers.includes(server))
      throw new HubError('SERVER_NOT_FOUND', `No server is named '${server}'. There are: ${servers.join(', ')}`)
    const before = this.captureOf(server)
    const after = Capture.parse({ ...before, ...patch })
    await this.#options.store.save(server, after)
    this.#captures.set(server, after)
    this.#options.events.emit('capture.changed', null, { server, before, after }, { server })
    return { server, ...after }
  }
}

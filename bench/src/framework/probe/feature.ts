import type { Contender } from '../contender.ts'
import { makeLaunch } from '../launch.ts'
import { startHttp } from '../start-http.ts'
import { StdioPeer } from '../stdio-peer.ts'
import { HttpPeer } from './http-peer.ts'

/** What a probe found: yes, no, or words where neither is enough. */
export type Finding = boolean | string

/** One line of the feature table. Every probe gets a server of its own. */
export interface Feature {
  id: string
  title: string
  probe(stage: ProbeStage): Promise<Finding>
}

/** Starts the feature program of one contender as often as a probe needs it. */
export class ProbeStage {
  readonly contender: Contender
  readonly #cwd: string
  readonly #stops: (() => Promise<void>)[] = []

  constructor(contender: Contender, cwd: string) {
    this.contender = contender
    this.#cwd = cwd
  }

  async stdio(): Promise<StdioPeer> {
    const peer = new StdioPeer(await makeLaunch(this.contender, 'feature', { way: 'stdio/legacy' }), this.#cwd)
    this.#stops.push(() => peer.stop())
    return peer
  }

  async http(env: Record<string, string> = {}): Promise<HttpPeer> {
    const launch = await makeLaunch(this.contender, 'feature', { way: 'http/legacy' })
    const { url, started } = await startHttp({ ...launch, env: { ...launch.env, ...env } }, this.#cwd)
    const peer = new HttpPeer(url)
    this.#stops.push(async () => {
      peer.close()
      await started.stop()
    })
    return peer
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) await stop()
  }
}

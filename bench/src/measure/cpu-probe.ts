import { InspectorSocket } from './inspector-socket.ts'

/** As V8 writes it. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: {
      readonly functionName: string
      readonly url: string
      readonly lineNumber: number
      readonly columnNumber: number
    }
  }[]
  /** The node that was running, and how many µs after the sample before. */
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** Profiles the CPU of a Node process that was started with `--inspect`. */
export class CpuProbe {
  readonly #inspector: InspectorSocket
  /** The version of its Node. */
  readonly version: Promise<string>

  private constructor(inspector: InspectorSocket) {
    this.#inspector = inspector
    this.version = inspector
      .send('Runtime.evaluate', { expression: 'process.versions.node' })
      .then((answer) => (answer as { result: { value: string } }).result.value)
  }

  static async attach(port: number): Promise<CpuProbe> {
    return new CpuProbe(await InspectorSocket.open(port))
  }

  async start(): Promise<void> {
    await this.#inspector.send('Profiler.enable')
    await this.#inspector.send('Profiler.setSamplingInterval', { interval: 200 })
    await this.#inspector.send('Profiler.start')
  }

  async stop(): Promise<CpuProfile> {
    const { profile } = (await this.#inspector.send('Profiler.stop')) as { profile: CpuProfile }
    return profile
  }

  close(): void {
    this.#inspector.close()
  }
}

import { sampleProcesses } from '../machine/process-tree.ts'
import { InspectorSocket } from './inspector-socket.ts'

export interface HeapUse {
  heapBytes: number
  rssBytes: number
}

/** Reads the live heap of a Node process that was started with `--inspect`, over its debugger protocol. */
export class HeapProbe {
  readonly #inspector: InspectorSocket
  readonly #processId: number

  private constructor(inspector: InspectorSocket, processId: number) {
    this.#inspector = inspector
    this.#processId = processId
  }

  static async attach(port: number, processId: number): Promise<HeapProbe> {
    return new HeapProbe(await InspectorSocket.open(port), processId)
  }

  /** What is alive now. Two collections: the first one runs finalizers, the second one frees what they let go. */
  async read(): Promise<HeapUse> {
    await this.#send('HeapProfiler.collectGarbage')
    await new Promise((resolve) => setTimeout(resolve, 200))
    await this.#send('HeapProfiler.collectGarbage')
    const { usedSize = 0, backingStorageSize = 0 } = await this.#send('Runtime.getHeapUsage')
    return { heapBytes: usedSize + backingStorageSize, rssBytes: sampleProcesses(this.#processId).rssMb * 1024 * 1024 }
  }

  close(): void {
    this.#inspector.close()
  }

  async #send(method: string): Promise<Record<string, number>> {
    return (await this.#inspector.send(method)) as Record<string, number>
  }
}

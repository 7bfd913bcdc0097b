import { WebSocket } from 'undici'
import { sampleProcesses } from '../machine/process-tree.ts'

export interface HeapUse {
  heapBytes: number
  rssBytes: number
}

/** Reads the live heap of a Node process that was started with `--inspect`, over its debugger protocol. */
export class HeapProbe {
  readonly #socket: WebSocket
  readonly #processId: number
  readonly #waiting = new Map<number, (result: Record<string, number>) => void>()
  #lastId = 0

  private constructor(socket: WebSocket, processId: number) {
    this.#socket = socket
    this.#processId = processId
    socket.addEventListener('message', (event) => {
      const { id, result } = JSON.parse(String(event.data)) as { id: number; result: Record<string, number> }
      this.#waiting.get(id)?.(result)
      this.#waiting.delete(id)
    })
  }

  static async attach(port: number, processId: number): Promise<HeapProbe> {
    const response = await fetch(`http://127.0.0.1:${port}/json/list`)
    const [page] = (await response.json()) as { webSocketDebuggerUrl: string }[]
    if (!page) throw new Error('the inspected process offers no debugger')
    const socket = new WebSocket(page.webSocketDebuggerUrl)
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve())
      socket.addEventListener('error', () => reject(new Error('the debugger refused the connection')))
    })
    return new HeapProbe(socket, processId)
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
    this.#socket.close()
  }

  #send(method: string): Promise<Record<string, number>> {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`the debugger did not answer ${method}`)), 20_000)
      this.#waiting.set(id, (result) => {
        clearTimeout(timer)
        resolve(result)
      })
      this.#socket.send(JSON.stringify({ id, method }))
    })
  }
}

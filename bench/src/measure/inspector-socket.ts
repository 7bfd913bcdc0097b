import { WebSocket } from 'undici'

/** Talks to a Node process that was started with `--inspect`, over its debugger protocol. */
export class InspectorSocket {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (result: unknown) => void>()
  #lastId = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', (event) => {
      const { id, result } = JSON.parse(String(event.data)) as { id: number; result: unknown }
      this.#waiting.get(id)?.(result)
      this.#waiting.delete(id)
    })
  }

  static async open(port: number): Promise<InspectorSocket> {
    const response = await fetch(`http://127.0.0.1:${port}/json/list`)
    const [page] = (await response.json()) as { webSocketDebuggerUrl: string }[]
    if (!page) throw new Error('the inspected process offers no debugger')
    const socket = new WebSocket(page.webSocketDebuggerUrl)
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve())
      socket.addEventListener('error', () => reject(new Error('the debugger refused the connection')))
    })
    return new InspectorSocket(socket)
  }

  close(): void {
    this.#socket.close()
  }

  send(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`the debugger did not answer ${method}`)), 20_000)
      this.#waiting.set(id, (result) => {
        clearTimeout(timer)
        resolve(result)
      })
      this.#socket.send(JSON.stringify({ id, method, params }))
    })
  }
}

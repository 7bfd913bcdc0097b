import { setTimeout as sleep } from 'node:timers/promises'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server'
import type { Principal } from '../../auth/auth.ts'
import { hostOf, type Served } from '../../server/served.ts'
import { Channel } from '../../transport/channel.ts'
import { metaKeys } from '../../wire/meta.ts'
import { tasksExtension } from '../task.ts'

type Fields = Record<string, unknown>

export const taskCapabilities = { elicitation: { form: {} }, sampling: {}, extensions: { [tasksExtension]: {} } }

/** Speaks 2026-07-28 by hand, because the SDK's client refuses results that are tasks. */
export class ModernCaller {
  readonly heard: JSONRPCMessage[] = []
  readonly #channel: Channel
  readonly #capabilities: object
  readonly #waiting = new Map<RequestId, (message: Fields) => void>()
  #lastId = 0

  constructor(served: Served, options: { capabilities?: object; principal?: Principal } = {}) {
    const { capabilities = taskCapabilities, principal } = options
    this.#capabilities = capabilities
    this.#channel = new Channel(hostOf(served), {
      kind: 'memory',
      ...(principal !== undefined && { principal }),
      write: (message) => this.#take(message as JSONRPCMessage),
    })
  }

  /** Resolves with the result, or with `{ error }`. */
  request(method: string, params: Fields = {}, id: RequestId = ++this.#lastId): Promise<Fields> {
    const _meta = {
      [metaKeys.revision]: '2026-07-28',
      [metaKeys.clientInfo]: { name: 'test', version: '1.0.0' },
      [metaKeys.clientCapabilities]: this.#capabilities,
    }
    return new Promise((resolve) => {
      this.#waiting.set(id, (message) => resolve((message['result'] as Fields) ?? { error: message['error'] }))
      this.#channel.receive({ jsonrpc: '2.0', id, method, params: { ...params, _meta } })
    })
  }

  call(name: string, args: Fields = {}): Promise<Fields> {
    return this.request('tools/call', { name, arguments: args })
  }

  /** Polls until the task has one of these statuses. */
  async until(taskId: unknown, ...statuses: string[]): Promise<Fields> {
    for (;;) {
      const task = await this.request('tasks/get', { taskId })
      if (task['error'] !== undefined || statuses.includes(String(task['status']))) return task
      await sleep(5)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#channel.close('client')
  }

  #take(message: JSONRPCMessage): void {
    this.heard.push(message)
    if ('method' in message || message.id === undefined) return
    const settle = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    settle?.(message)
  }
}

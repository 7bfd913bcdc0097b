import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import * as modern from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernStdioTransport } from '@modelcontextprotocol/client/stdio'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { onTestFinished } from 'vitest'
import { bundleSource } from '../../packages/hub/src/platform/testing/bundle-source.ts'
import { metaKeys, modernRevision } from '../../packages/hub/src/wire/index.ts'
import { isAlive } from '../fixtures/scripted-connector.ts'
import { databasePid } from './start-hub-process.ts'
import { waitFor } from './start-test-hub.ts'
import type { WireMessage } from './wire-client.ts'

const program = fileURLToPath(new URL('../../packages/hub/src/cli/herma.ts', import.meta.url))

export interface BridgePlace {
  /** Folder of both homes. */
  readonly folder: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** How a client launches `herma stdio`, as its configuration would say it. */
export function bridgeCommand({ folder, args = [], env = {} }: BridgePlace) {
  return {
    command: process.execPath,
    args: [bundleSource(program), 'stdio', ...args],
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      HERMA_CONFIG_HOME: folder,
      HERMA_STATE_HOME: join(folder, 'state'),
      HERMA_LISTEN: '127.0.0.1:0',
      ...env,
    },
  }
}

export async function connectV1(place: BridgePlace, capabilities: object = {}): Promise<Client> {
  const client = new Client({ name: 'test-v1', version: '1.0.0' }, { capabilities })
  onTestFinished(() => client.close())
  await client.connect(new StdioClientTransport({ ...bridgeCommand(place), stderr: 'ignore' }))
  return client
}

export async function connectV2(
  place: BridgePlace,
  mode: 'auto' | 'legacy',
  capabilities: object = {},
): Promise<modern.Client> {
  const info = { name: 'test-v2', version: '1.0.0' }
  const client = new modern.Client(info, { versionNegotiation: { mode }, capabilities })
  onTestFinished(() => client.close())
  await client.connect(new ModernStdioTransport({ ...bridgeCommand(place), stderr: 'ignore' }))
  return client
}

/** `herma stdio` with a client that sees every line. Whatever the test does, it ends with it. */
export class BridgeProcess {
  readonly #child
  readonly lines: string[] = []
  readonly messages: WireMessage[] = []
  readonly exited: Promise<number | null>
  readonly env: Readonly<Record<string, string>>
  errorText = ''
  #lastId = 0

  constructor(place: BridgePlace) {
    const { command, args, env } = bridgeCommand(place)
    this.env = env
    this.#child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'pipe'] })
    this.#child.stderr.on('data', (chunk: Buffer) => (this.errorText += chunk.toString()))
    this.exited = once(this.#child, 'exit').then(([code]) => code as number | null)
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      this.lines.push(line)
      const value = JSON.parse(line) as WireMessage | WireMessage[]
      this.messages.push(...[value].flat())
    })
    // A process that has ended takes no more.
    this.#child.stdin.on('error', () => undefined)
    onTestFinished(async () => {
      this.#child.kill('SIGKILL')
      await this.exited
      await killDatabase(join(place.folder, 'state'))
    })
  }

  get pid(): number {
    return this.#child.pid!
  }

  write(text: string): void {
    this.#child.stdin.write(text)
  }

  send(message: object): void {
    this.write(`${JSON.stringify(message)}\n`)
  }

  notify(method: string, params?: object): void {
    this.send({ jsonrpc: '2.0', method, params })
  }

  /** Sends a request of the era and returns its id at once. */
  begin(method: string, params: object = {}, era: 'legacy' | 'modern' = 'legacy'): number {
    const id = ++this.#lastId
    const _meta = { [metaKeys.revision]: modernRevision, [metaKeys.clientCapabilities]: {} }
    this.send({ jsonrpc: '2.0', id, method, params: era === 'modern' ? { ...params, _meta } : params })
    return id
  }

  async request(method: string, params?: object, era?: 'legacy' | 'modern'): Promise<WireMessage> {
    return this.answer(this.begin(method, params, era))
  }

  answer(id: unknown): Promise<WireMessage> {
    return this.message((message) => message.id === id && message.method === undefined)
  }

  /** The first message, past or future, that is so. */
  message(isIt: (message: WireMessage) => boolean): Promise<WireMessage> {
    return waitFor(() => {
      const found = this.messages.find(isIt)
      if (found === undefined && this.#child.exitCode !== null) throw new Error(`ended without it: ${this.errorText}`)
      return found
    }, 60_000)
  }

  async initialize(revision = '2025-11-25', capabilities: object = {}): Promise<WireMessage> {
    const clientInfo = { name: 'raw', version: '1.0.0' }
    const answer = await this.request('initialize', { protocolVersion: revision, capabilities, clientInfo })
    this.notify('notifications/initialized')
    return answer
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Closes standard input, as a client does that leaves. */
  async close(): Promise<number | null> {
    this.#child.stdin.end()
    return this.exited
  }
}

/** The database outlives a killed hub on purpose; after a test that failed there is no next hub to adopt it. */
async function killDatabase(stateHome: string): Promise<void> {
  const pid = databasePid(stateHome)
  if (pid === undefined) return
  process.kill(pid, 'SIGKILL')
  await waitFor(() => (isAlive(pid) ? undefined : true))
}

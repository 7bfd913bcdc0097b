import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FragmentView } from '@herma/contract'
import * as modern from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { createTemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'
import type { McpClient } from './mcp-client.ts'
import { startTestHub, waitFor, type TestHub, type TestHubOptions } from './start-test-hub.ts'

export const eras = ['legacy', 'modern'] as const

export interface ToolAnswer {
  readonly content: { type: string; text: string }[]
  readonly structuredContent?: Record<string, unknown>
  readonly isError?: boolean
}

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly onprogress?: (event: { progress: number; total?: number }) => void
}

/** A client of either SDK that answers what servers ask. */
export interface CatalogClient {
  readonly client: McpClient
  /** The messages of the forms that it filled in. */
  readonly asked: string[]
  names(): Promise<string[]>
  tool(name: string): Promise<Record<string, unknown>>
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<ToolAnswer>
  /** Resolves when it has heard of a change of the tools since the last time. */
  hearChange(): Promise<void>
}

export interface ClientOptions {
  /** The name that it gives itself. */
  readonly name?: string
  readonly capabilities?: object
  /** Path of the served server. */
  readonly path?: string
}

export interface CatalogHub extends TestHub {
  readonly configHome: string
  connect(era: (typeof eras)[number], options?: ClientOptions): Promise<CatalogClient>
  /** Puts a file into the config home, at once and whole. */
  write(file: string, content: string | object): Promise<void>
  remove(file: string): Promise<void>
  /** Waits until the hub has read the file in a way that fits. */
  fragment(file: string, fits: (view: FragmentView) => boolean): Promise<FragmentView>
  /** The body of an answer that has to be a good one. */
  ask<Body>(method: string, path: string, body?: unknown): Promise<Body>
}

/** A hub with these files in its config home from the start. With a home of the test it can be started again there. */
export async function startCatalogHub({
  files = {},
  home,
  ...options
}: TestHubOptions & { files?: Record<string, string | object>; home?: string } = {}): Promise<CatalogHub> {
  const own = home === undefined ? await createTemporaryHome() : null
  const configHome = home ?? own!.path
  const write: CatalogHub['write'] = async (file, content) => {
    const path = join(configHome, file)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(`${path}.new`, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
    await rename(`${path}.new`, path)
  }
  for (const [file, content] of Object.entries(files)) await write(file, content)
  const hub = await startTestHub({ configHome, stateHome: join(configHome, 'state'), ...options })
  const clients: McpClient[] = []
  const stop = async () => {
    await Promise.allSettled(clients.map((client) => client.close()))
    await hub.stop()
    await own?.remove()
  }
  const ask: CatalogHub['ask'] = async <Body>(method: string, path: string, body?: unknown) => {
    const answer = await hub.api(method, path, body)
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body as Body
  }
  return {
    ...hub,
    configHome,
    stateHome: join(configHome, 'state'),
    write,
    ask,
    remove: (file) => rm(join(configHome, file), { recursive: true }),
    async connect(era, clientOptions = {}) {
      const connected = await connectClient(era, new URL(clientOptions.path ?? '/mcp', hub.url), clientOptions)
      clients.push(connected.client)
      return connected
    },
    fragment: (file, fits) =>
      waitFor(async () => {
        const { fragments } = await ask<{ fragments: FragmentView[] }>('GET', '/api/catalog/fragments')
        return fragments.find((view) => view.file === file && fits(view))
      }),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** The text of an answer. */
export function textIn({ content }: ToolAnswer): string {
  return content.map(({ text }) => text).join('\n')
}

export async function readJson<Value>(...path: string[]): Promise<Value> {
  return JSON.parse(await readFile(join(...path), 'utf8')) as Value
}

async function connectClient(
  era: (typeof eras)[number],
  endpoint: URL,
  { name = 'catalog-test', capabilities = {} }: ClientOptions,
): Promise<CatalogClient> {
  const asked: string[] = []
  let changes = 0
  const info = { name, version: '1.0.0' }
  const answer = (message: string) => {
    asked.push(message)
    return { action: 'accept' as const, content: { name: 'ada' } }
  }
  const canAnswer = 'elicitation' in capabilities
  const connect = async (): Promise<Pick<CatalogClient, 'client' | 'call'>> => {
    if (era === 'legacy') {
      const client = new Client(info, { capabilities })
      if (canAnswer) client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params.message))
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes++)
      await client.connect(new StreamableHTTPClientTransport(endpoint))
      const call: CatalogClient['call'] = (tool, args = {}, options = {}) =>
        client.callTool({ name: tool, arguments: args }, undefined, options) as Promise<unknown> as Promise<ToolAnswer>
      return { client, call }
    }
    const client = new modern.Client(info, { capabilities, versionNegotiation: { mode: 'auto' } })
    if (canAnswer) client.setRequestHandler('elicitation/create', ({ params }) => answer(params.message))
    client.setNotificationHandler('notifications/tools/list_changed', () => void changes++)
    await client.connect(new modern.StreamableHTTPClientTransport(endpoint))
    await client.listen({ toolsListChanged: true })
    const call: CatalogClient['call'] = (tool, args = {}, options = {}) =>
      client.callTool({ name: tool, arguments: args }, options) as Promise<unknown> as Promise<ToolAnswer>
    return { client, call }
  }
  const { client, call } = await connect()
  return {
    client,
    call,
    asked,
    names: async () => (await client.listTools()).tools.map((tool) => tool.name),
    async tool(wanted) {
      const found = (await client.listTools()).tools.find((tool) => tool.name === wanted)
      if (found === undefined) throw new Error(`there is no tool ${wanted}`)
      return found
    },
    async hearChange() {
      await waitFor(() => (changes > 0 ? true : undefined))
      changes = 0
    },
  }
}

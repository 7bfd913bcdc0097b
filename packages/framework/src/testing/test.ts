import { Client, type ClientCapabilities } from '@modelcontextprotocol/client'
import type { Tools } from '../component/define.ts'
import { eraOf, modernVersion } from '../protocol/version.ts'
import type { App } from '../server/app.ts'
import { hostOf, type Served } from '../server/served.ts'
import { Answers } from './answers.ts'
import { httpLink } from './http-link.ts'
import { ServerInspector } from './server-inspector.ts'
import type { Link } from './link.ts'
import { memoryLink } from './memory-link.ts'
import { Records } from './records.ts'
import { Session } from './session.ts'
import type { TestClient } from './test-client.ts'
import type { TestOptions } from './test-options.ts'

const everything: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }

/**
 * Connects a typed client to a server, in memory unless said otherwise: `await using t = await test(app)`.
 * A question of the server that the options do not answer fails the call that led to it.
 */
export async function test<T extends Tools, S>(app: App<T, S>, options?: TestOptions): Promise<TestClient<T, S>>
export async function test(served: Served, options?: TestOptions): Promise<TestClient>
export async function test(served: Served, options: TestOptions = {}): Promise<TestClient> {
  const { version = modernVersion, capabilities = everything, principal, timeoutMs = 10_000 } = options
  const host = hostOf(served)
  if (!host.versions.includes(version)) {
    throw new Error(`'${host.info.name}' does not serve ${version}. It serves ${host.versions.join(', ')}.`)
  }
  const link =
    options.http === undefined
      ? memoryLink(host, { principal, timeoutMs })
      : await httpLink(served, host, { ...options, version, timeoutMs })
  const records = new Records()
  const answers = new Answers(options)
  const client = new Client(
    { name: 'herma-test', version: '1.0.0' },
    {
      capabilities,
      supportedProtocolVersions: [version],
      versionNegotiation: { mode: eraOf(version) === 'modern' ? { pin: version } : 'legacy' },
    },
  )
  answers.serve(client, capabilities)
  await open(client, link, records, timeoutMs)
  const inspector = new ServerInspector(host, link, version)
  return new Session({ client, link, records, answers, inspector, version, timeoutMs, capabilities })
}

async function open(client: Client, link: Link, records: Records, timeoutMs: number): Promise<void> {
  // The client calls what was here before itself, so that everything is kept before it is acted on.
  link.transport.onmessage = (message) => records.take(message)
  try {
    await client.connect(link.transport, { timeout: timeoutMs })
    if (client.getProtocolEra() === 'modern') await hearChanges(client, timeoutMs)
  } catch (error) {
    await link.close()
    throw error
  }
}

/** A modern client hears of changes only where it asked to. */
async function hearChanges(client: Client, timeoutMs: number): Promise<void> {
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {}
  const filter = {
    ...(tools?.listChanged === true && { toolsListChanged: true }),
    ...(prompts?.listChanged === true && { promptsListChanged: true }),
    ...(resources?.listChanged === true && { resourcesListChanged: true }),
  }
  if (Object.keys(filter).length > 0) await client.listen(filter, { timeout: timeoutMs })
}

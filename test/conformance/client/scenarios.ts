import type { ConnectorInput } from '@herma/contract'
import { fromJsonSchema, type Client, type ClientCapabilities } from '@modelcontextprotocol/client'
import { listSkills, loadSkill } from './load-skill.ts'

type Connector = { signIn: () => Promise<void> }
type Context = Record<string, unknown>
type Scenario = {
  capabilities?: ClientCapabilities
  play: (client: Client, context: Context, connector?: Connector) => Promise<unknown>
  /** How the hub has to sign in to the suite's server, where it cannot find that out. */
  oauth?: (context: Context) => ConnectorInput['oauth']
  /** Whether a person signs in before the client connects. */
  isPersonal?: boolean
  /** Played instead when a hub is tested, where the SDK's client would keep back what the hub has to. */
  playThroughHub?: (client: Client) => Promise<unknown>
}

const allCapabilities: ClientCapabilities = { roots: { listChanged: true }, sampling: {}, elicitation: {} }

/** Scenarios in which a person signs in, and nothing has to be known before. */
const personal = [
  '2025-03-26-oauth-metadata-backcompat',
  '2025-03-26-oauth-endpoint-fallback',
  'metadata-default',
  'metadata-var1',
  'metadata-var2',
  'metadata-var3',
  'metadata-issuer-mismatch',
  'scope-from-www-authenticate',
  'scope-from-scopes-supported',
  'scope-omitted-when-undefined',
  'scope-step-up',
  'scope-retry-limit',
  'offline-access-scope',
  'offline-access-not-supported',
  'token-endpoint-auth-basic',
  'token-endpoint-auth-post',
  'token-endpoint-auth-none',
  'iss-supported',
  'iss-not-advertised',
  'iss-supported-missing',
  'iss-wrong-issuer',
  'iss-unexpected',
  'iss-normalized',
  'resource-mismatch',
  'authorization-server-migration',
].map((name): [string, Scenario] => [`auth/${name}`, { isPersonal: true, play: useSignedIn }])

const clientOf = (context: Context) => ({
  clientId: String(context['client_id']),
  clientSecret: String(context['client_secret']),
})

/** What a well-behaved client does in each of the suite's client scenarios. */
export const scenarios: Record<string, Scenario> = {
  initialize: { play: (client) => client.listTools() },
  tools_call: { play: (client) => callListed(client, 'add_numbers', { a: 5, b: 3 }) },
  'elicitation-sep1034-client-defaults': {
    capabilities: { elicitation: { form: { applyDefaults: true } } },
    play: (client) => callListed(client, 'test_client_elicitation_defaults', {}),
  },
  'sse-retry': { play: (client) => callListed(client, 'test_reconnection', {}) },
  'request-metadata': { capabilities: allCapabilities, play: (client) => client.listTools() },
  'sep-2322-client-request-state': { capabilities: { elicitation: {} }, play: callAskingTools },
  'http-standard-headers': { play: callEverything },
  'http-custom-headers': { play: callAsTold },
  'http-invalid-tool-headers': { play: callEveryTool, playThroughHub: callEveryToolUnfiltered },
  'json-schema-ref-no-deref': { play: (client) => client.listTools() },
  'json-schema-2020-12-preservation': { play: echoSchema },
  ...Object.fromEntries(personal),
  'auth/basic-cimd': {
    isPersonal: true,
    oauth: () => ({ clientMetadataUrl: 'https://conformance-test.local/client-metadata.json' }),
    play: useSignedIn,
  },
  'auth/pre-registration': { isPersonal: true, oauth: clientOf, play: useSignedIn },
  'auth/client-credentials-basic': {
    oauth: (context) => ({ grant: 'client_credentials', ...clientOf(context) }),
    play: (client) => client.listTools(),
  },
  'auth/client-credentials-jwt': {
    oauth: (context) => ({
      grant: 'client_credentials',
      clientId: String(context['client_id']),
      privateKey: String(context['private_key_pem']),
      algorithm: (context['signing_algorithm'] ?? 'ES256') as 'ES256',
    }),
    play: (client) => client.listTools(),
  },
  'sep-2640-client-no-prefetch': { play: listSkills },
  'sep-2640-client-verify-digest': { play: loadSkill },
  'sep-2640-client-verify-size': { play: loadSkill },
  'sep-2640-client-verify-frontmatter': { play: loadSkill },
}

/** Uses a server that wants a sign-in. When it wants more rights for a call, the person signs in once more. */
async function useSignedIn(client: Client, _: Context, connector?: Connector): Promise<void> {
  const attempt = async (use: () => Promise<unknown>) => {
    try {
      await use()
    } catch (error) {
      if (!connector || !(error instanceof Error) || !error.message.includes('herma login')) throw error
      await connector.signIn()
      await use()
    }
  }
  await attempt(() => client.listTools())
  await attempt(() => client.callTool({ name: 'test-tool', arguments: {} }))
}

async function callListed(client: Client, name: string, args: Record<string, unknown>): Promise<void> {
  const { tools } = await client.listTools()
  if (!tools.some((tool) => tool.name === name)) throw new Error(`The tool ${name} is not listed.`)
  const result = await client.callTool({ name, arguments: args })
  if (result.isError) throw new Error(`The tool ${name} failed: ${JSON.stringify(result.content)}`)
}

async function callAskingTools(client: Client): Promise<void> {
  for (const name of ['test_mrtr_echo_state', 'test_mrtr_no_state', 'test_mrtr_unrelated']) {
    await callListed(client, name, {})
  }
  // A result without a type is against the revision: the SDK refuses it, and only a second call would be wrong.
  await client.callTool({ name: 'test_mrtr_no_result_type', arguments: {} }).catch(() => {})
}

async function callEverything(client: Client): Promise<void> {
  for (const { name } of (await client.listTools()).tools) await client.callTool({ name, arguments: {} })
  for (const { uri } of (await client.listResources()).resources) await client.readResource({ uri })
  for (const { name } of (await client.listPrompts()).prompts) await client.getPrompt({ name, arguments: {} })
}

async function callAsTold(client: Client, context: Record<string, unknown>): Promise<void> {
  const { toolCalls } = context as { toolCalls: { name: string; arguments: Record<string, unknown> }[] }
  for (const call of toolCalls) await callListed(client, call.name, call.arguments)
}

async function callEveryTool(client: Client): Promise<void> {
  const { tools } = await client.listTools()
  await callAll(
    client,
    tools.map(({ name }) => name),
  )
}

/** The SDK's modern client leaves out tools with wrong headers when it lists; here the hub has to have done so. */
async function callEveryToolUnfiltered(client: Client): Promise<void> {
  // Whose headers are right is remembered when the SDK lists; a call needs that to mirror them.
  await client.listTools()
  const { tools } = await client.request({ method: 'tools/list', params: {} }, unfilteredTools)
  await callAll(
    client,
    tools.map(({ name }) => name),
  )
}

const unfilteredTools = fromJsonSchema<{ tools: { name: string }[] }>({ type: 'object', required: ['tools'] })

async function callAll(client: Client, names: readonly string[]): Promise<void> {
  for (const name of names) {
    // Refusing to call a tool is as good as not listing it; the suite's server sees which calls arrived.
    await client.callTool({ name, arguments: { region: 'us-west1' } }).catch(() => {})
  }
}

async function echoSchema(client: Client): Promise<void> {
  const { tools } = await client.listTools()
  const schema = tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema
  await callListed(client, 'json_schema_echo', { schema })
}

import { fromJsonSchema, type Client, type ClientCapabilities } from '@modelcontextprotocol/client'
import { listSkills, loadSkill } from './load-skill.ts'

type Scenario = {
  capabilities?: ClientCapabilities
  play: (client: Client, context: Record<string, unknown>) => Promise<unknown>
  /** Played instead when a hub is tested, where the SDK's client would keep back what the hub has to. */
  playThroughHub?: (client: Client) => Promise<unknown>
}

const allCapabilities: ClientCapabilities = { roots: { listChanged: true }, sampling: {}, elicitation: {} }

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
  'sep-2640-client-no-prefetch': { play: listSkills },
  'sep-2640-client-verify-digest': { play: loadSkill },
  'sep-2640-client-verify-size': { play: loadSkill },
  'sep-2640-client-verify-frontmatter': { play: loadSkill },
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

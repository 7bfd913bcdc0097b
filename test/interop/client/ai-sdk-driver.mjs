// Drives the MCP client of the AI SDK for runner/driver-session.ts: a request on each line, an outcome for each.
// Arguments: the era (legacy, modern, any), the name that answers questions, then the URL of the server or, after `--`, the command of one.
import { createInterface } from 'node:readline'
import { createMCPClient, ElicitationRequestSchema } from '@ai-sdk/mcp'
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio'
import { generateText } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'

const [era, name, place, ...rest] = process.argv.slice(2)
const [command, ...args] = rest
const client = await connect().catch((error) => {
  process.stderr.write(`It did not connect: ${error.message}\n`)
  process.exit(1)
})
client.onElicitationRequest(ElicitationRequestSchema, () => ({ action: 'accept', content: { name } }))

const operations = {
  'tools/list': async () => {
    const tools = Object.entries(await client.tools())
    return { tools: tools.map(([toolName, { description }]) => ({ name: toolName, description })) }
  },
  'tools/call': async ({ name: toolName, arguments: input }) => {
    const tools = await client.tools()
    // The SDK lets a model call only what is there.
    return toolName in tools
      ? callAsModel(tools, toolName, input)
      : client.callTool({ name: toolName, arguments: input })
  },
  'resources/read': (params) => client.readResource(params),
  'prompts/get': (params) => client.getPrompt(params),
  'completion/complete': (params) => client.complete(params),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { method, params } = JSON.parse(line)
  const outcome = await operations[method](params).then((result) => ({ result }), describeFailure)
  process.stdout.write(`${JSON.stringify(outcome)}\n`)
}
await client.close()

async function connect() {
  const connected = await createMCPClient({
    transport: place === '--' ? new StdioTransport({ command, args, env: process.env }) : { type: 'http', url: place },
    protocolVersionDiscovery: era !== 'legacy',
    capabilities: { elicitation: {} },
  })
  const { protocolVersion } = connected.initializeResult
  const spoken = protocolVersion < '2026' ? 'legacy' : 'modern'
  if (era !== 'any' && era !== spoken) throw new Error(`it speaks ${protocolVersion}`)
  return connected
}

/** Lets a model that knows what it wants call the tool, in the loop that every application of the SDK runs. */
async function callAsModel(tools, toolName, input) {
  const model = new MockLanguageModelV4({
    doGenerate: {
      content: [{ type: 'tool-call', toolCallId: 'interop', toolName, input: JSON.stringify(input) }],
      finishReason: { unified: 'tool-calls', raw: undefined },
      usage: { inputTokens: {}, outputTokens: {} },
      warnings: [],
    },
  })
  const { content } = await generateText({ model, tools, prompt: 'Call it.' })
  const outcome = content.find(({ type }) => type === 'tool-result' || type === 'tool-error')
  if (outcome.type === 'tool-error') throw outcome.error
  return outcome.output
}

function describeFailure(error) {
  return typeof error.code === 'number'
    ? { error: { code: error.code, message: error.message } }
    : { failure: String(error.stack) }
}

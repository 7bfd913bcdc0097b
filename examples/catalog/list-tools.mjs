// Lists the tools of an MCP server as a client gets them: node examples/catalog/list-tools.mjs URL [CLIENT-NAME]
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const [url = 'http://127.0.0.1:4376/mcp', name = 'list-tools'] = process.argv.slice(2)
const client = new Client({ name, version: '1.0.0' })
await client.connect(new StreamableHTTPClientTransport(new URL(url)))
const { tools } = await client.listTools()
for (const tool of tools) console.log(tool.name)
await client.close()

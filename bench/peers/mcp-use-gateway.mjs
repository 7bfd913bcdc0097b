// mcp-use as a gateway: mcp-use-gateway.mjs PORT SERVERS-AS-JSON, with servers as its `proxy` takes them.
import { MCPServer } from 'mcp-use/server'

const [port, servers] = process.argv.slice(2)
const server = new MCPServer({ name: 'mcp-use-gateway', version: '1.0.0' })
await server.proxy(JSON.parse(servers))
await server.listen(Number(port))

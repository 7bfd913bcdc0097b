// mcp-proxy in front of a Streamable HTTP server: mcp-proxy-http.mjs PORT URL
// Its command line starts stdio servers only, so this does with its library what that command line does.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Server } from '@modelcontextprotocol/server'
import { proxyServer, startHTTPServer } from 'mcp-proxy'

const [port, url] = process.argv.slice(2)
const info = { name: 'mcp-proxy', version: '1.0.0' }
const client = new Client(info, { capabilities: {} })
await client.connect(new StreamableHTTPClientTransport(new URL(url)))

await startHTTPServer({
  host: '127.0.0.1',
  port: Number(port),
  async createServer() {
    const serverCapabilities = client.getServerCapabilities()
    const server = new Server(info, { capabilities: serverCapabilities })
    await proxyServer({ client, server, serverCapabilities })
    return server
  },
})

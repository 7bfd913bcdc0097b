import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import { serveStdio as serveProtocol } from '@modelcontextprotocol/server/stdio'
import { describeTool, runTool, type InputSchema, type Tool } from './tool.ts'

export interface StdioServer<Inputs extends readonly InputSchema[]> {
  readonly name: string
  readonly version: string
  /** How a model should use this server as a whole. */
  readonly instructions?: string
  readonly tools: { [Index in keyof Inputs]: Tool<Inputs[Index]> }
}

/**
 * Serves tools on standard input and output, to clients of every protocol revision.
 * Standard output belongs to the protocol: a tool that prints must print to standard error.
 */
export function serveStdio<Inputs extends readonly InputSchema[]>(
  server: StdioServer<Inputs>,
): { close(): Promise<void> } {
  const tools = new Map<string, Tool>()
  for (const tool of server.tools as readonly Tool[]) {
    if (tools.has(tool.name)) throw new TypeError(`Two tools are named '${tool.name}'. Rename one of them.`)
    tools.set(tool.name, tool)
  }
  const descriptors = [...tools.values()].map(describeTool)
  return serveProtocol(() => {
    const options = server.instructions === undefined ? {} : { instructions: server.instructions }
    const protocol = new Server(
      { name: server.name, version: server.version },
      { ...options, capabilities: { tools: {} } },
    )
    protocol.setRequestHandler('tools/list', () => ({ tools: descriptors }))
    protocol.setRequestHandler('tools/call', async ({ params }, context) => {
      const tool = tools.get(params.name)
      if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool '${params.name}'.`)
      return runTool(tool, params.arguments ?? {}, context.mcpReq.signal)
    })
    return protocol
  })
}

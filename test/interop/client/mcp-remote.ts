import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  McpError,
  ResultSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { InteropClient, McpRequest, Outcome, Place, Session } from '../runner/client.ts'
import type { Programs } from '../runner/programs.ts'

const noExactNumbers = 'JavaScript cannot write or show such a number.'

/** mcp-remote, the bridge of desktop programs that can only start a command; the official SDK is that program here. */
export async function describeMcpRemote(programs: Programs): Promise<InteropClient> {
  const { file, version } = await programs.npm('clients')
  const program = file('mcp-remote', 'dist/proxy.js')
  return {
    name: 'mcp-remote',
    version: await version('mcp-remote'),
    cannot: { 'exact numbers': noExactNumbers, 'error of a server': noExactNumbers },
    ways: [
      { name: 'legacy', era: 'legacy', open: (place) => openBridge(program, place, 'legacy') },
      // It speaks to its own client as before, and 2026-07-28 to the hub.
      { name: 'modern', era: 'modern', open: (place) => openBridge(program, place, 'auto') },
    ],
  }
}

async function openBridge(program: string, place: Place, protocol: 'legacy' | 'auto'): Promise<Session> {
  const { answers } = place
  const client = new Client(
    { name: 'interop', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} } },
  )
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: answers.name } }))
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    role: 'assistant',
    model: 'interop',
    content: { type: 'text', text: answers.sampled },
  }))
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: answers.root, name: 'interop' }] }))
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, place.endpoint, '--protocol', protocol],
    env: { ...place.env },
    cwd: place.folder,
    stderr: 'ignore',
  })
  await client.connect(transport)
  return { request: (request) => send(client, request), close: () => client.close() }
}

async function send(client: Client, { method, params }: McpRequest): Promise<Outcome> {
  const progress: number[] = []
  try {
    // The methods of the client would check and complete results; here they have to stay as they came.
    const result = await client.request({ method, params: { ...params } }, ResultSchema, {
      onprogress: (event) => progress.push(event.progress),
    })
    return { result, progress }
  } catch (error) {
    if (error instanceof McpError) return { error: { code: error.code } }
    throw error
  }
}

import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { expect } from 'vitest'
import { z } from 'zod'
import type { FakeRequest, Reply } from '../../../../../test/fixtures/fake-llm/fake-llm.ts'
import { startFakeLlm } from '../../../../../test/fixtures/fake-llm/start-fake-llm.ts'
import { startHub } from '../../hub.ts'
import { createLog } from '../../platform/log.ts'
import { captureTerminal } from '../capture-terminal.ts'
import { runCli } from '../run-cli.ts'

export type AgentHub = Awaited<ReturnType<typeof startAgentHub>>

/** A hub with a model that plays along and an MCP server with two tools, and the command line to use it with. */
export async function startAgentHub() {
  const folder = await mkdtemp(join(tmpdir(), 'herma-agents-'))
  // As root the database runs under another user, who must get into the folder.
  await chmod(folder, 0o755)
  const project = join(folder, 'project')
  await mkdir(project)
  const fake = await startFakeLlm({ script: play })
  const serve = toNodeHandler(createMcpHandler(createRemote))
  const remote = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve))
  const homes = { configHome: join(folder, 'config'), stateHome: join(folder, 'state') }
  const hub = await startHub({ host: '127.0.0.1', port: 0, ...homes, log: createLog('silent') })
  const env = { HERMA_STATE_HOME: homes.stateHome, NO_COLOR: '1' }

  /** Runs a command; what it writes can be looked at while it runs. */
  const begin = (words: string[], input?: string) => {
    const { terminal, written } = captureTerminal({ input, env })
    return { written, end: runCli(words, terminal) }
  }
  return {
    project,
    fake,
    remoteUrl: `http://127.0.0.1:${(remote.address() as AddressInfo).port}/mcp`,
    begin,
    async herma(words: string[], input?: string) {
      const { written, end } = begin(words, input)
      return { exitCode: await end, ...written }
    },
    async hermaJson<Schema extends z.ZodType>(schema: Schema, words: string[]): Promise<z.output<Schema>> {
      const { written, end } = begin([...words, '--json'])
      await end
      return schema.parse(JSON.parse(written.out))
    },
    /** A person at a terminal: `type` sends keys once standard error shows what they react to. */
    sitDown(words: string[]) {
      const keys = new PassThrough()
      const { terminal, written } = captureTerminal({ keys, env, isTTY: true })
      let seen = 0
      return {
        written,
        end: runCli(words, terminal),
        async type(text: string, after: string) {
          await expect.poll(() => written.error.indexOf(after, seen), { timeout: 20_000 }).toBeGreaterThanOrEqual(0)
          seen = written.error.indexOf(after, seen) + after.length
          keys.write(text)
        },
      }
    },
    /** Resolves when the model was told this. */
    told: (text: string) => fake.until(() => fake.requests.at(-1)?.messages.at(-1)?.text === text),
    async stop() {
      await hub.stop()
      await fake.stop()
      remote.closeAllConnections()
      await new Promise((resolve) => remote.close(resolve))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Calls the tool of `use NAME {…}`, never ends with `wait`, fails with `fail`; otherwise repeats what it heard. */
async function play({ messages, tools }: FakeRequest): Promise<Reply> {
  const last = messages.at(-1)
  if (last?.role === 'tool') return { text: `It answered: ${last.text}` }
  const said = last?.text ?? ''
  if (said.endsWith('fail')) return { status: 401 }
  if (said.endsWith('wait')) return new Promise<Reply>(() => undefined)
  const [, wanted, args = '{}'] = /use (\S+)(?: (\{.*\}))?$/.exec(said) ?? []
  if (wanted === undefined) return { text: `You said: ${said}` }
  const name = tools.find((tool) => tool.includes(wanted)) ?? wanted
  return { text: 'Let me see.', toolCalls: [{ name, arguments: JSON.parse(args) as unknown }] }
}

function createRemote(): McpServer {
  const server = new McpServer({ name: 'remote', version: '1.0.0' })
  const inputSchema = z.object({ text: z.string() })
  const annotations = { readOnlyHint: true }
  for (const name of ['echo', 'shout'])
    server.registerTool(name, { description: name, inputSchema, annotations }, ({ text }) => ({
      content: [{ type: 'text', text: `${name}: ${text}` }],
    }))
  return server
}

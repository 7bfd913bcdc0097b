import { connectSnippets, type ServedTool, ServerHealth, type ServerView } from '@herma/contract'
import { Command } from 'commander'

import { cleanText, oneLine } from '../../terminal/clean-text.ts'
import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { jsonInput, type JsonOption, parseJsonObject } from '../../flag/json-option.ts'
import { formatFields, formatTable } from '../../terminal/format-table.ts'
import type { HubClient } from '../../hub/hub-client.ts'
import { readAnswer, sendRequest } from '../../hub/send-request.ts'
import { showProgress } from '../../terminal/show-progress.ts'
import { formatTestReport } from '../connector/test.ts'

const silenceMs = 60_000
const answerLimitBytes = 65_536

export function showCommand(cli: Cli): Command {
  return new Command('show')
    .description('show a server with its health and its addresses')
    .argument('<name>', 'name of the server')
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      const server = await hub.api.getServer({ name })
      const health = await readHealth(hub, server)
      cli.terminal.answer(
        { ...server, health },
        () => `${describeServer(server, hub.url, health)}\n\n${describeConnecting(server, hub.url)}`,
      )
    })
}

/** How clients are pointed at this server. */
function describeConnecting({ name, path, access, keyHeader }: ServerView, url: URL): string {
  // A session is served as `session:NAME`, and clients take no colon.
  const own = name === 'facade' ? 'herma' : name.replace(':', '-')
  const key = access === 'required' ? { keyHeader } : {}
  const snippets = connectSnippets(new URL(path, url).href, own, key)
  const parts = snippets.map(({ title, file, text, note }) => {
    const head = `${title}${file === undefined ? '' : `, in ${file}`}:`
    return [head, text, ...(note === undefined ? [] : [note])].join('\n')
  })
  const stdio = `Over stdio:\nherma stdio${name === 'facade' ? '' : ` --server ${name}`}`
  return [...parts, stdio].join('\n\n')
}

/** The same as probes get; of a server that is not well with an error status, which is an answer all the same. */
async function readHealth(hub: HubClient, { healthPath }: ServerView): Promise<ServerHealth> {
  const answer = await sendRequest(new URL(healthPath, hub.url), { method: 'GET', silenceMs })
  return ServerHealth.parse(JSON.parse(await readAnswer(answer, answerLimitBytes)))
}

/** A served server for people; its health where it was asked for. */
export function describeServer(server: ServerView, url: URL, health?: ServerHealth): string {
  const link = (path: string) => new URL(path, url).href
  return formatFields([
    ['Name', server.name],
    ['Kind', server.kind],
    ...(server.description === '' ? [] : [['Description', cleanText(server.description)] as [string, string]]),
    ['Enabled', server.enabled ? 'yes' : 'no'],
    ...(health === undefined ? [] : describeHealth(health)),
    ['Tools', server.tools === null ? '-' : String(server.tools)],
    ['Last client', server.lastHandshake ?? 'none since the hub started'],
    ['Hosts', server.connector ?? (isOwn(server) ? `the ${server.kind}` : 'the catalog')],
    ['URL', link(server.path)],
    ['JSON-RPC', link(server.rpcPath)],
    ['Health', link(server.healthPath)],
    ['HTTP+SSE', describeSse(server, url)],
    ['Mode', server.mode],
    ['View', server.view ?? 'the one that is for the client'],
    ['Metadata', server.metadata ? 'on' : 'off'],
    ['Schemas', server.schemas],
    ['Fallbacks', server.fallbacks],
    ['Access', accessText[server.access]],
    ['Key header', server.keyHeader === 'authorization' ? 'Authorization: Bearer KEY' : `${server.keyHeader}: KEY`],
  ])
}

function isOwn({ kind }: ServerView): boolean {
  return kind === 'team' || kind === 'session'
}

export function describeServers({ terminal }: Cli, servers: readonly ServerView[], url: URL): string {
  const rows = servers.map((server) => [
    server.name,
    server.kind,
    server.enabled ? (server.tools === null ? '-' : String(server.tools)) : 'disabled',
    server.connector ?? '-',
    server.mode,
    server.view ?? '-',
    new URL(server.path, url).href,
    describeSse(server, url),
  ])
  const head = ['NAME', 'KIND', 'TOOLS', 'HOSTS', 'MODE', 'VIEW', 'URL', 'HTTP+SSE']
  return formatTable([head, ...rows], terminal.columns)
}

function describeHealth({ state, inFlight, problem }: ServerHealth): [string, string][] {
  return [
    ['State', problem === null ? state : `${state}: ${cleanText(problem)}`],
    ['Under way', String(inFlight)],
  ]
}

const accessText = {
  auto: 'open to programs of this machine, while the hub has no public URL',
  local: 'open to programs of this machine; others need a key',
  required: 'everybody needs a key',
}

function describeSse({ sse, ssePath }: ServerView, url: URL): string {
  return sse ? new URL(ssePath, url).href : 'off'
}

export function toolsCommand(cli: Cli): Command {
  return new Command('tools')
    .description('list the tools that clients of a server see, with what each costs a model')
    .argument('<name>', 'name of the server')
    .action(async (name: string) => {
      const { api } = await connectHub(cli)
      const answer = await api.listServerTools({ name })
      cli.terminal.answer(answer, () => describeTools(cli, answer.tools))
    })
}

function describeTools({ terminal }: Cli, tools: readonly ServedTool[]): string {
  if (tools.length === 0) return 'Clients see no tools there.'
  const rows = tools.map(({ name, tokens, title, description }) => [
    oneLine(name),
    String(tokens),
    oneLine(description || (title ?? '')),
  ])
  return formatTable([['TOOL', 'TOKENS', 'DESCRIPTION'], ...rows], terminal.columns)
}

interface Flags {
  tool?: string
  json?: JsonOption
  cwd?: string
}

export function testCommand(cli: Cli): Command {
  return new Command('test')
    .description('use a server as a client of yours would, stage by stage')
    .argument('<name>', 'name of the server')
    .option('--tool <tool>', 'also call this tool')
    .addOption(jsonInput('ARGUMENTS'))
    .option('--cwd <dir>', 'where it shall work, when the tool takes cwd')
    .action(async (name: string, { tool, json, cwd }: Flags) => {
      const text = json?.text
      if (tool === undefined && (text ?? cwd) !== undefined)
        throw new CliError(exitCodes.usage, 'Arguments and --cwd need --tool.')
      const { api } = await connectHub(cli)
      const request = {
        ...(tool !== undefined && { tool }),
        ...(text !== undefined && { arguments: parseJsonObject(text, 'The arguments') }),
        ...(cwd !== undefined && { cwd }),
      }
      const work = api.testServer({ name, body: request }, { patient: true })
      const report = await showProgress(cli.terminal, `Testing '${name}'`, work)
      if (!report.ok) cli.exitCode = exitCodes.downstreamFailed
      cli.terminal.answer(report, () => {
        const trace = report.traceId === undefined ? '' : `\n\nIts trace: herma traces show ${report.traceId}`
        return formatTestReport(report, cli.terminal) + trace
      })
    })
}

import { resolve } from 'node:path'
import { type SessionTest, type TeamView, TeamTool } from '@herma/contract'
import { Command } from 'commander'

import { oneLine } from '../../terminal/clean-text.ts'
import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import type { HubClient } from '../../hub/hub-client.ts'
import { parseJsonObject } from '../../flag/json-option.ts'
import { showProgress } from '../../terminal/show-progress.ts'
import { formatStages } from '../session/show.ts'

interface Flags {
  tool?: string
  arguments?: string
  cwd?: string
}

type Stage = SessionTest['stages'][number]

export function testCommand(cli: Cli): Command {
  return new Command('test')
    .description('reach a team as an MCP client does: introduction, tools, who would answer, and a call if you say so')
    .argument('<team>', 'name of the team')
    .option('--tool <tool>', 'also call this tool, such as plan_task')
    .option('--arguments <json>', 'arguments of that call')
    .option('--cwd <dir>', 'where that call works')
    .addHelpText('after', `\nExample:\n  herma team test alpha --tool plan_task --arguments '{"goal": "Say hello"}'`)
    .action(async (name: string, flags: Flags) => {
      if (flags.tool === undefined && (flags.arguments !== undefined || flags.cwd !== undefined))
        throw new CliError(exitCodes.usage, '--arguments and --cwd need --tool.')
      const args = {
        ...(flags.arguments === undefined ? {} : parseJsonObject(flags.arguments, '--arguments')),
        ...(flags.cwd !== undefined && { cwd: resolve(flags.cwd) }),
      }
      const hub = await connectHub(cli)
      const team = await hub.api.getTeam({ name })
      const call = flags.tool === undefined ? null : { tool: findTool(flags.tool), args }
      const test = await showProgress(cli.terminal, `Testing '${name}'`, runStages(hub, team, call))
      if (!test.ok) cli.exitCode = exitCodes.downstreamFailed
      cli.terminal.answer(test, () => formatStages(test, cli.terminal))
    })
}

function findTool(word: string): string {
  return TeamTool.options.find((each) => each === `team.${word}`) ?? (word === 'dispatch' ? 'team.dispatch' : word)
}

interface Call {
  readonly tool: string
  readonly args: Record<string, unknown>
}

async function runStages(hub: HubClient, { name, path }: TeamView, call: Call | null): Promise<SessionTest> {
  // Loaded here, because few commands speak MCP.
  const [{ requestMcp }, { listTools }] = await Promise.all([
    import('../../mcp/mcp-client.ts'),
    import('../../mcp/call-tool.ts'),
  ])
  const endpoint = new URL(path, hub.url)
  const stages: Stage[] = []
  const run = async (stage: string, fix: string, work: () => Promise<string>) => {
    stages.push(await runStage(stage, fix, work))
    return stages.at(-1)!.ok
  }
  const isThere = await run('introduction', `See why: herma team show ${name}`, async () => {
    const { supportedVersions } = await requestMcp(endpoint, { method: 'server/discover' })
    return Array.isArray(supportedVersions) ? `it speaks ${supportedVersions.join(', ')}` : 'it answers'
  })
  if (!isThere) return { ok: false, stages }
  await run('tools', `See why: herma team show ${name}`, async () => {
    const names = (await listTools(endpoint)).map((tool) => String(tool['name']))
    if (names.length === 0) throw new Error('It offers no tools.')
    return names.join(', ')
  })
  await run('members', `See why: herma team who ${name}`, async () => describeMembers(hub, name))
  if (call !== null)
    await run('call', `See why: herma team who ${name} ${call.tool}`, async () => {
      const { tool, args } = call
      const result = await requestMcp(endpoint, {
        method: 'tools/call',
        params: { name: tool, arguments: args },
      })
      return describeResult(result)
    })
  return { ok: stages.every(({ ok }) => ok), stages }
}

async function describeMembers(hub: HubClient, name: string): Promise<string> {
  const { decisions } = await hub.api.decideTeamCalls({ name })
  const without = decisions.filter(({ chosen }) => chosen === null).map(({ tool }) => tool)
  if (without.length === decisions.length) throw new Error('Nobody would answer any of its tools.')
  const answering = decisions.flatMap(({ tool, chosen }) => (chosen === null ? [] : [`${tool} by ${chosen}`]))
  return [...answering, ...without.map((tool) => `${tool} by nobody`)].join(', ')
}

function describeResult({ content, isError, structuredContent, resultType }: Record<string, unknown>): string {
  if (resultType !== undefined && resultType !== 'complete')
    throw new Error('It asks for more input, which a test cannot give. Call it from an MCP client.')
  const blocks = Array.isArray(content) ? (content as { text?: unknown }[]) : []
  const text = blocks.map((block) => String(block.text ?? '')).join(' ') || JSON.stringify(structuredContent ?? {})
  if (isError === true) throw new Error(text)
  return oneLine(text).slice(0, 500)
}

async function runStage(name: string, fix: string, work: () => Promise<string>): Promise<Stage> {
  const startedAt = performance.now()
  const end = (ok: boolean, detail: string): Stage => {
    return { name, ok, ms: Math.round(performance.now() - startedAt), detail, fix: ok ? null : fix }
  }
  try {
    return end(true, await work())
  } catch (error) {
    return end(false, (error as Error).message)
  }
}

import type { AgentCommand, PathQuestion, PathVerdict, RouteRule, SessionTest, SessionView } from '@herma/contract'
import { keySecretOf } from '@herma/contract/plain'
import { Command } from 'commander'

import { cleanText, oneLine } from '../../terminal/clean-text.ts'
import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { quoteWord } from '@herma/contract/plain'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { formatFields, formatTable } from '../../terminal/format-table.ts'
import { showProgress } from '../../terminal/show-progress.ts'
import type { Terminal } from '../../terminal/terminal.ts'

export function listCommand(cli: Cli): Command {
  return new Command('list')
    .alias('ls')
    .description('list the sessions and how they are doing')
    .action(async () => {
      const { api } = await connectHub(cli)
      const answer = await api.listSessions()
      cli.terminal.answer(answer, () => describeList(cli, answer.sessions))
    })
}

function describeList({ terminal }: Cli, sessions: readonly SessionView[]): string {
  if (sessions.length === 0)
    return 'No sessions yet. Add one: herma session add NAME --provider openai --model MODEL --key'
  const rows = sessions.map(({ name, health, provider, model, teams, offered }) => [
    name,
    health.state,
    provider,
    model === '' ? '-' : model,
    teams.join(' ') || '-',
    offered.join(' ') || '-',
  ])
  const table = formatTable([['NAME', 'STATE', 'PROVIDER', 'MODEL', 'TEAMS', 'OFFERS'], ...rows], terminal.columns)
  const [head = '', ...lines] = table.split('\n')
  const problems = sessions.flatMap(({ name, health }) => (health.problem ? [[`${name}: ${health.problem}`]] : []))
  return [terminal.style('bold', head), ...lines, ...(problems.length === 0 ? [] : ['', formatTable(problems)])].join(
    '\n',
  )
}

const shownInstructions = 600

export function showCommand(cli: Cli): Command {
  return new Command('show')
    .description('show one session with what it offers and how it is')
    .argument('<session>', 'name of the session')
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      const session = await hub.api.getSession({ name })
      cli.terminal.answer(session, () => describeSession(session, hub.url))
    })
}

/** Fields without a value are left out. */
export function describeSession(session: SessionView, url: URL): string {
  const { tools, limits, paths, pricing } = session
  const fields: [string, string][] = [
    ['Name', session.name],
    ['Description', cleanText(session.description)],
    ['State', describeState(session)],
    ['Provider', [session.provider, session.model].join(' ').trim()],
    ['Address', session.baseUrl ?? ''],
    ['API', session.provider === 'openai' ? session.api : ''],
    ['Key', describeKey(session)],
    ['Command', session.command === null ? '' : describeCommand(session.command)],
    ['Instructions', shorten(cleanText(session.instructions))],
    ['Temperature', session.temperature === null ? '' : String(session.temperature)],
    ['Working dir', session.workingDir ?? ''],
    ['Roots', paths.roots.join('\n')],
    ['Denied', paths.denied?.join('\n') ?? ''],
    ['Tools', describeTools(tools)],
    ['Limits', describePairs(limits)],
    ['Prices', pricing === null ? '' : describePairs(pricing)],
    ['Routes', session.routes.map(describeRoute).join('\n')],
    ['Bound', session.bindings.join(', ')],
    ['Teams', session.teams.join(', ')],
    ['Offers', session.offered.join(', ') || 'nothing'],
    ['MCP', new URL(session.path, url).href],
    ['OpenAI', new URL(session.openaiPath, url).href],
    ...describeHealth(session),
    ['Changed', session.updatedAt],
  ]
  return formatFields(fields.filter(([, value]) => value !== ''))
}

function describeState({ health }: SessionView): string {
  return health.problem === null ? health.state : `${health.state}: ${cleanText(health.problem)}`
}

function describeKey(session: SessionView): string {
  const secret = keySecretOf(session)
  if (secret === null) return ''
  return session.hasKey ? `the secret '${secret}'` : `missing. Store it: herma secret set ${secret}`
}

function describeCommand({ dialect, cmd, args, env }: AgentCommand): string {
  const words = [cmd ?? dialect, ...(args ?? [])].map(quoteWord).join(' ')
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  return oneLine(`${words} (${dialect})`) + variables.map((line) => `\n${oneLine(line)}`).join('')
}

function describeTools({ catalog, allow, deny, approval, approved }: SessionView['tools']): string {
  return [
    `allow ${allow.join(' ')}`,
    ...(deny.length === 0 ? [] : [`deny ${deny.join(' ')}`]),
    ...(approval === 'never'
      ? []
      : [`asks a person: ${approval}${approved.length === 0 ? '' : `, but for ${approved.join(' ')}`}`]),
    ...(catalog ? ['the whole catalog, besides what is bound'] : []),
  ].join('\n')
}

function describePairs(values: object): string {
  const given = Object.entries(values).filter(([, value]) => value !== null && value !== undefined)
  return given.map(([name, value]) => `${name}=${String(value)}`).join(' ')
}

function describeRoute({ abilities, contains, use }: RouteRule): string {
  const what = `${abilities.join(',')}${contains.length === 0 ? '' : `:${contains.join('|')}`}`
  if (use === 'model') return `${what}=model`
  const given = Object.entries(use.arguments).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return oneLine(`${what}=${use.connector}.${use.tool}(${given.join(', ')})`)
}

function describeHealth({ health }: SessionView): [string, string][] {
  const { latencyMs, failures, running, lastUsedAt, lastErrorAt } = health
  return [
    ['Latency', latencyMs === null ? '' : `${Math.round(latencyMs)} ms`],
    ['Failures', failures === 0 ? '' : `${failures} in a row`],
    ['Under way', running === 0 ? '' : String(running)],
    ['Last used', lastUsedAt ?? ''],
    ['Last error', lastErrorAt ?? ''],
  ]
}

function shorten(text: string): string {
  return text.length <= shownInstructions ? text : `${text.slice(0, shownInstructions - 1)}…`
}

export function testCommand(cli: Cli): Command {
  return new Command('test')
    .description('try everything that a session needs; its provider is asked for one word')
    .argument('<session>', 'name of the session')
    .action(async (name: string) => {
      const { api } = await connectHub(cli)
      const work = api.testSession({ name }, { patient: true })
      const test = await showProgress(cli.terminal, `Testing '${name}'`, work)
      if (!test.ok) cli.exitCode = exitCodes.downstreamFailed
      cli.terminal.answer(test, () => formatStages(test, cli.terminal))
    })
}

/** The stages of a test with their time, then what to do about those that failed. */
export function formatStages({ stages }: SessionTest, terminal: Terminal): string {
  const rows = stages.map(({ name, ok, ms, detail }) => [ok ? '✓' : '✗', name, `${Math.round(ms)} ms`, detail])
  const lines = formatTable(rows, terminal.columns)
    .split('\n')
    .map((line, index) => (stages[index]?.ok === false ? terminal.style('red', line) : line))
  const fixes = stages.flatMap(({ name, ok, detail, fix }) =>
    ok ? [] : ['', `${name}: ${cleanText(detail)}`, ...(fix === null ? [] : [`Fix: ${cleanText(fix)}`])],
  )
  return [...lines, ...fixes].join('\n')
}

export function pathCommand(cli: Cli): Command {
  return new Command('path')
    .description('say whether a session may read or write a path, and why')
    .argument('<session>', 'name of the session')
    .argument('<path>', 'absolute, or relative to where the session works')
    .option('--cwd <dir>', 'as if a call worked there')
    .addHelpText('after', `\nExit code ${exitCodes.failed} when it is refused.`)
    .action(async (name: string, path: string, { cwd }: { cwd?: string }) => {
      const { api } = await connectHub(cli)
      const question: PathQuestion = { path, ...(cwd !== undefined && { cwd }) }
      const verdict = await api.testSessionPath({ name, body: question })
      if (!verdict.allowed) cli.exitCode = exitCodes.failed
      cli.terminal.answer(verdict, () => describeVerdict(cli, verdict))
    })
}

/** A verdict for people. */
export function describeVerdict({ terminal }: Cli, { allowed, writable, path, because }: PathVerdict): string {
  const verdict = !allowed
    ? terminal.style('red', 'Refused')
    : terminal.style('green', writable ? 'May be read and written' : 'May be read')
  return `${verdict}: ${oneLine(path)}\n${cleanText(because)}`
}

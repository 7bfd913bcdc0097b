import type { AgentCommand, RouteRule, SessionView } from '@herma/contract'
import { Command } from 'commander'

import { cleanText, oneLine } from '../../clean-text.ts'
import { type Cli, connectHub } from '../../cli.ts'
import { quote } from '../../describe-place.ts'
import { formatFields } from '../../format-table.ts'
import { keySecretOf } from './provider-key.ts'
import { sessionPath } from './session-path.ts'

const shownInstructions = 600

export function showCommand(cli: Cli): Command {
  return new Command('show')
    .description('show one session with what it offers and how it is')
    .argument('<session>', 'name of the session')
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      const session = await hub.send<SessionView>('GET', sessionPath(name))
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
  const words = [cmd ?? dialect, ...(args ?? [])].map(quote).join(' ')
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

export function describeRoute({ abilities, contains, use }: RouteRule): string {
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

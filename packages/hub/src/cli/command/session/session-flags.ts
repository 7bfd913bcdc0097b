import { readFile } from 'node:fs/promises'
import { basename, isAbsolute, resolve } from 'node:path'
import type { Ability, AgentCommand, ProviderKind, SessionPatch } from '@herma/contract'
import { type Command, Option } from 'commander'

import { collect } from '../../flag/connector-flags.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { readNamedValues } from '../../flag/named-values.ts'
import { nearest } from '../../flag/nearest.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { parseRoute } from './parse-route.ts'
import { addKeyFlags, type KeyFlags } from './provider-key.ts'

/** Flags that `add` and `edit` have in common. */
export interface SessionFlags extends KeyFlags, AgentCommandFlags {
  provider?: ProviderKind
  model?: string
  baseUrl?: string
  api?: 'responses' | 'chat'
  description?: string
  instructions?: string
  temperature?: string
  dir?: string
  root?: string[]
  deny?: string[]
  ability?: string[]
  toolAllow?: string[]
  toolDeny?: string[]
  approval?: 'never' | 'writes' | 'always'
  approved?: string[]
  catalog?: 'on' | 'off'
  limit?: string[]
  price?: string[]
  route?: string[]
}

export const providers: readonly ProviderKind[] = [
  'openai',
  'anthropic',
  'google',
  'openai-compatible',
  'sampling',
  'command',
  'mcp',
]
const dialects: readonly AgentCommand['dialect'][] = ['codex', 'claude', 'text']

export function addSessionFlags(command: Command): Command {
  const choice = (flags: string, text: string, choices: readonly string[]) => new Option(flags, text).choices(choices)
  return addKeyFlags(
    command
      .addOption(choice('--provider <provider>', 'whose model it is', providers))
      .option('--model <model>', 'by its name at the provider')
      .option('--base-url <url>', 'where the provider is; openai-compatible needs it'),
  )
    .addOption(choice('--api <api>', 'of openai: which of its two APIs', ['responses', 'chat']))
    .option('--description <text>', 'what it is for')
    .option('--instructions <text>', 'what it is told in front of everything; @FILE, or @- for standard input')
    .option('--temperature <number>', 'from 0 to 2; absent: as the provider has it')
    .option('--dir <dir>', 'where it works unless a call says otherwise')
    .option('--root <dir>', 'a folder that it may touch; absent: its --dir', collect)
    .option('--deny <glob>', 'paths that it may not touch; absent: the usual places of secrets', collect)
    .option('--ability <name>', 'what it offers as an MCP server, such as code.advice; absent: all it can do', collect)
    .option('--tool-allow <glob>', 'tools that it may use; absent: all', collect)
    .option('--tool-deny <glob>', 'tools that it may not use, whatever is allowed', collect)
    .addOption(choice('--approval <which>', 'of which tools a person is asked first', ['never', 'writes', 'always']))
    .option('--approved <glob>', 'tools of which nobody is asked any more', collect)
    .addOption(
      choice('--catalog <switch>', 'whether it may use the tools of all connectors, bound or not', ['on', 'off']),
    )
    .option('--limit <name=number>', `of one turn: ${Object.keys(limits).join(', ')}`, collect)
    .option('--price <in=,out=>', 'US dollars for a million tokens, for example in=2.5,out=10,cached=0.25', collect)
    .option('--route <rule>', "what a tool answers, for example 'search.web=brave.search(query={query})'", collect)
    .addOption(
      choice('--command <dialect>', 'a local agent CLI; its words follow -- where they are not usual', dialects),
    )
    .option('--env <K=V>', 'variable of that CLI; {secret:NAME} takes a stored secret', collect)
}

const limits = {
  maxSteps: 'maxSteps',
  maxTokens: 'maxTokens',
  maxCostUsd: 'maxCostUsd',
  timeoutMs: 'timeoutMs',
  maxParallelTools: 'maxParallelTools',
  maxOutputTokens: 'maxOutputTokens',
  maxConcurrency: 'maxConcurrency',
}
const prices = { in: 'inputPerMillion', out: 'outputPerMillion', cached: 'cachedInputPerMillion' }

/** The fields that the flags set, but for its command, which depends on what is stored, and the key itself. */
export async function readSessionFlags(flags: SessionFlags, terminal: Terminal): Promise<SessionPatch> {
  const { provider, model, baseUrl, api, keySecret, description, instructions, temperature, dir, limit, route } = flags
  const groups = { paths: readPaths(flags), tools: readTools(flags) }
  return {
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(api !== undefined && { api }),
    ...(keySecret !== undefined && { keySecret }),
    ...(description !== undefined && { description }),
    ...(instructions !== undefined && { instructions: await readText('--instructions', instructions, terminal) }),
    ...(temperature !== undefined && { temperature: readTemperature(temperature) }),
    ...(dir !== undefined && { workingDir: resolve(dir) }),
    ...(flags.ability !== undefined && { abilities: flags.ability.flatMap((word) => word.split(',')) as Ability[] }),
    ...(Object.keys(groups.paths).length > 0 && { paths: groups.paths }),
    ...(Object.keys(groups.tools).length > 0 && { tools: groups.tools }),
    // The hub says which of them may be absent.
    ...(limit !== undefined && { limits: readNumbers('--limit', limit, limits) }),
    ...(flags.price !== undefined && { pricing: readPrices(flags.price) }),
    ...(route !== undefined && { routes: route.map(parseRoute) }),
  }
}

function readPaths({ root, deny }: SessionFlags): NonNullable<SessionPatch['paths']> {
  return {
    ...(root !== undefined && { roots: root.map((folder) => resolve(folder)) }),
    ...(deny !== undefined && { denied: deny }),
  }
}

function readTools(flags: SessionFlags): NonNullable<SessionPatch['tools']> {
  const { toolAllow, toolDeny, approval, approved, catalog } = flags
  return {
    ...(toolAllow !== undefined && { allow: toolAllow }),
    ...(toolDeny !== undefined && { deny: toolDeny }),
    ...(approval !== undefined && { approval }),
    ...(approved !== undefined && { approved }),
    ...(catalog !== undefined && { catalog: catalog === 'on' }),
  }
}

function readTemperature(text: string): number {
  const value = Number(text)
  if (text.trim() !== '' && value >= 0 && value <= 2) return value
  throw new CliError(exitCodes.usage, `--temperature needs a number from 0 to 2, not '${text}'.`)
}

function readPrices(pairs: readonly string[]): SessionPatch['pricing'] {
  const given = readNumbers('--price', pairs, prices)
  if (typeof given['inputPerMillion'] !== 'number' || typeof given['outputPerMillion'] !== 'number')
    throw new CliError(exitCodes.usage, '--price needs both: in=DOLLARS,out=DOLLARS for a million tokens.')
  return given as SessionPatch['pricing']
}

interface AgentCommandFlags {
  command?: AgentCommand['dialect']
  env?: string[]
}

interface Given {
  /** Words after `--`. */
  readonly trailing: readonly string[]
  /** What the session has so far. */
  readonly stored: AgentCommand | null
  readonly terminal: Terminal
}

/** The local agent CLI that the flags and the words after `--` ask for; undefined when they say nothing of one. */
export async function readAgentCommand(flags: AgentCommandFlags, given: Given): Promise<AgentCommand | undefined> {
  const [cmd, ...args] = given.trailing
  if (flags.command === undefined && flags.env === undefined && cmd === undefined) return undefined
  const dialect = flags.command ?? (cmd === undefined ? given.stored?.dialect : dialectOf(cmd))
  if (dialect === undefined)
    throw new CliError(exitCodes.usage, '--env is for a local agent CLI. Name it, too: --command codex|claude|text')
  const env = await readNamedValues('--env', flags.env ?? [], given.terminal)
  return {
    dialect,
    ...(cmd === undefined ? keptWords(dialect, given.stored) : { cmd: findCommand(cmd), args }),
    env: { ...given.stored?.env, ...Object.fromEntries(env.map(({ name, value = '' }) => [name, value])) },
  }
}

/** What prints its answer is the usual case of a program that nobody knows. */
function dialectOf(cmd: string): AgentCommand['dialect'] {
  const name = basename(cmd)
  return name === 'codex' || name === 'claude' ? name : 'text'
}

/** The words of one dialect mean nothing to another. */
function keptWords(dialect: string, stored: AgentCommand | null): Pick<AgentCommand, 'cmd' | 'args'> {
  if (stored?.dialect !== dialect) return {}
  const { cmd, args } = stored
  return { ...(cmd !== undefined && { cmd }), ...(args !== undefined && { args }) }
}

/** The hub runs elsewhere, so that a path from here has to be whole; a bare name is looked up on the PATH. */
function findCommand(cmd: string): string {
  return cmd.includes('/') && !isAbsolute(cmd) ? resolve(cmd) : cmd
}

/** Reads `NAME=NUMBER` pairs of a flag; `none` is null. The keys of `names` may be given, and stand for its values. */
function readNumbers(
  flag: string,
  pairs: readonly string[],
  names: Readonly<Record<string, string>>,
): Record<string, number | null> {
  const known = Object.keys(names)
  const numbers = pairs
    .flatMap((pair) => pair.split(','))
    .map((pair) => {
      const end = pair.indexOf('=')
      const [name, text] = end < 0 ? [pair.trim(), ''] : [pair.slice(0, end).trim(), pair.slice(end + 1).trim()]
      if (!Object.hasOwn(names, name)) {
        const near = nearest(name, known)
        const hint = near === undefined ? '' : ` Did you mean ${near}?`
        throw new CliError(exitCodes.usage, `${flag} knows no '${name}'.${hint} It takes: ${known.join(', ')}`)
      }
      const value = text === 'none' ? null : Number(text)
      if (text === '' || Number.isNaN(value))
        throw new CliError(exitCodes.usage, `${flag} needs ${name}=NUMBER, or ${name}=none where it may be absent.`)
      return [names[name]!, value] as const
    })
  return Object.fromEntries(numbers)
}

const limitBytes = 1_000_000

/** Reads a text that a flag gives: as it stands, `@FILE`, or `@-` for standard input. `@@…` begins with one @. */
async function readText(flag: string, given: string, terminal: Terminal): Promise<string> {
  if (given.startsWith('@@')) return given.slice(1)
  if (!given.startsWith('@')) return given
  const file = given.slice(1)
  try {
    return file === '-' ? await terminal.readInput(limitBytes) : await readFile(file, 'utf8')
  } catch (cause) {
    throw new CliError(exitCodes.usage, `The text of ${flag} cannot be read: ${(cause as Error).message}`, { cause })
  }
}

import { resolve } from 'node:path'
import type { Ability, AgentCommand, ProviderKind, SessionPatch } from '@herma/contract'
import { type Command, Option } from 'commander'

import { collect } from '../../connector-flags.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import type { Terminal } from '../../terminal.ts'
import { parseRoute } from './parse-route.ts'
import { addKeyFlags, type KeyFlags } from './provider-key.ts'
import type { AgentCommandFlags } from './read-agent-command.ts'
import { readNumbers } from './read-numbers.ts'
import { readText } from './read-text.ts'

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

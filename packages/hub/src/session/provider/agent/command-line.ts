import { HubError, type Session } from '@herma/contract'

export type AgentDialect = 'codex' | 'claude' | 'text'

export interface CommandLineOptions {
  readonly dialect: AgentDialect
  /** Absent = the one of the dialect. */
  readonly command?: string | undefined
  /** Absent = those of the dialect. */
  readonly args?: readonly string[] | undefined
  readonly prompt: string
  readonly cwd: string
  readonly model?: string | undefined
  readonly sessionId?: string | undefined
  readonly threadId?: string | undefined
}

export interface CommandLine {
  readonly file: string
  readonly args: readonly string[]
  /** For standard input; null where the prompt is an argument. */
  readonly input: string | null
}

/** How an agent is started. Tokens become values in one pass, so a prompt that holds a token stays as it is. */
export function toCommandLine(options: CommandLineOptions): CommandLine {
  const preset = presets[options.dialect]
  const file = options.command ?? preset?.command
  if (file === undefined) throw new HubError('INVALID_PARAMS', 'An agent that prints text needs a command. Name one.')
  const templates = options.args ?? preset?.args(options.model) ?? []
  const values: Record<string, string | undefined> = {
    prompt: options.prompt,
    cwd: options.cwd,
    model: options.model === '' ? undefined : options.model,
    session_id: options.sessionId,
    thread_id: options.threadId,
  }
  const args = templates.map((template) => fill(template, values))
  const takesPrompt = templates.some((template) => template.includes('{prompt}'))
  return { file, args, input: takesPrompt ? null : options.prompt }
}

/** What a session of the provider command starts, before tokens become values. */
export function usualCommand({ command, model }: Pick<Session, 'command' | 'model'>) {
  const { cmd, args, env = {}, dialect = 'text' } = command ?? {}
  const preset = presets[dialect]
  return {
    command: cmd ?? preset?.command ?? '',
    args: (args ?? preset?.args(model) ?? []).map((arg) => (arg === '{model}' ? model : arg)),
    env: Object.keys(env),
  }
}

/** Both read the prompt from standard input, where no list of processes shows it. */
const presets: Partial<Record<AgentDialect, { command: string; args(model: string | undefined): string[] }>> = {
  // https://github.com/openai/codex/blob/main/codex-rs/exec/src/cli.rs
  codex: {
    command: 'codex',
    args: (model) => [
      'exec',
      '--json',
      '--skip-git-repo-check',
      '--sandbox',
      'workspace-write',
      ...(isNamed(model) ? ['--model', '{model}'] : []),
      '-',
    ],
  },
  // https://docs.anthropic.com/en/docs/claude-code/cli-reference
  claude: {
    command: 'claude',
    args: (model) => [
      '-p',
      '--output-format',
      'stream-json',
      '--verbose',
      '--permission-mode',
      'acceptEdits',
      ...(isNamed(model) ? ['--model', '{model}'] : []),
    ],
  },
}

function isNamed(model: string | undefined): boolean {
  return model !== undefined && model !== ''
}

function fill(template: string, values: Record<string, string | undefined>): string {
  const filled = template.replaceAll(/\{(prompt|cwd|model|session_id|thread_id)\}/g, (token, name: string) => {
    const value = values[name]
    if (value !== undefined) return value
    throw new HubError('INVALID_PARAMS', `The arguments of the agent hold ${token}, but there is none here. Remove it.`)
  })
  if (filled.includes('\0')) throw new HubError('INVALID_PARAMS', 'An argument of the agent holds a NUL character.')
  // What somebody asks must not become an option of the agent.
  return /^\{(prompt|model)\}$/.test(template) && filled.startsWith('-') ? ` ${filled}` : filled
}

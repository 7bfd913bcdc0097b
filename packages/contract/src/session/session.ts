import { z } from 'zod'
import { SecretName } from '../secret/secret.ts'

export const SessionName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'A session is named with up to 40 of a-z, 0-9 and "-".')
export type SessionName = z.infer<typeof SessionName>

export const ProviderKind = z
  .enum(['openai', 'anthropic', 'google', 'openai-compatible', 'sampling', 'command', 'mcp'])
  .describe(
    'openai, anthropic, google = their APIs; openai-compatible = Ollama, vLLM, llama.cpp …; sampling = the model of the calling client; command = a local agent CLI; mcp = tools of other MCP servers, by its routes.',
  )
export type ProviderKind = z.infer<typeof ProviderKind>

/** The tools that a session can offer as an MCP server. */
export const Ability = z.enum([
  'code.advice',
  'code.generate',
  'tests.generate',
  'tests.run',
  'search.web',
  'search.code',
  'plan.task',
  'review.changes',
])
export type Ability = z.infer<typeof Ability>

const globs = z.array(z.string().min(1).max(200)).max(200)

/** Which tools a session may use while it works, and which of them a person has to allow first. */
export const ToolPolicy = z.strictObject({
  catalog: z.boolean().default(false).describe('Whether it may use the catalog of the facade besides its bindings.'),
  allow: globs.default(['*']).describe('Globs of tool names that it may use.'),
  deny: globs.default([]).describe('Globs of tool names that it may not use, whatever is allowed.'),
  approval: z
    .enum(['never', 'writes', 'always'])
    .default('never')
    .describe('Of which tools a person is asked first: writes = those that are not marked read-only.'),
  approved: globs.default([]).describe('Globs of tools that need no approval any more.'),
})
export type ToolPolicy = z.infer<typeof ToolPolicy>

export const SessionLimits = z.strictObject({
  maxSteps: z.int().min(1).max(500).default(30).describe('Answers of the model in one turn.'),
  maxTokens: z.int().min(100).max(100_000_000).default(1_000_000).describe('Tokens of one turn, in and out.'),
  maxCostUsd: z.number().min(0).max(100_000).nullable().default(null).describe('Cost of one turn; needs prices.'),
  timeoutMs: z.int().min(1000).max(86_400_000).default(900_000).describe('Time of one turn.'),
  maxParallelTools: z.int().min(1).max(64).default(4).describe('Tool calls at once in one turn.'),
  maxOutputTokens: z.int().min(1).max(10_000_000).nullable().default(null).describe('Tokens of one answer.'),
  maxConcurrency: z.int().min(1).max(256).default(4).describe('Turns at once.'),
})
export type SessionLimits = z.infer<typeof SessionLimits>

/** US dollars for a million tokens. */
export const Pricing = z.strictObject({
  inputPerMillion: z.number().min(0),
  outputPerMillion: z.number().min(0),
  cachedInputPerMillion: z.number().min(0).optional(),
})
export type Pricing = z.infer<typeof Pricing>

/** A local agent CLI. */
export const AgentCommand = z.strictObject({
  dialect: z
    .enum(['codex', 'claude', 'text'])
    .describe(
      'What it prints: codex = `codex exec --json`; claude = `--output-format stream-json`; text = its answer.',
    ),
  cmd: z.string().min(1).max(4096).optional().describe('The executable; absent = the one of the dialect.'),
  args: z
    .array(z.string().max(65_536))
    .max(200)
    .optional()
    .describe('Tokens: {prompt}, {cwd}, {model}, {session_id}, {thread_id}. Without {prompt} it comes on stdin.'),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'This is not the name of a variable.'), z.string().max(65_536))
    .default({})
    .describe('Variables for it; {secret:NAME} takes a stored secret. It gets no others but the usual ones.'),
})
export type AgentCommand = z.infer<typeof AgentCommand>

/** Where a piece of work goes: the first rule that fits decides. Without one it goes to the model. */
export const RouteRule = z.strictObject({
  abilities: z
    .array(z.union([Ability, z.literal('chat')]))
    .min(1)
    .max(9)
    .describe('Of what it speaks.'),
  contains: z
    .array(z.string().min(1).max(200))
    .max(50)
    .default([])
    .describe('Words of which one has to occur in the request; none = always.'),
  use: z.union([
    z.literal('model'),
    z.strictObject({
      connector: z.string().min(1).max(40),
      tool: z.string().min(1).max(200).describe('By its name at the server.'),
      arguments: z
        .record(z.string(), z.json())
        .default({})
        .describe('Texts may hold {input} (the request as one text) and {FIELD} (an argument of the ability).'),
    }),
  ]),
})
export type RouteRule = z.infer<typeof RouteRule>

/** Globs of what usually holds secrets. `.git/config` may have a token in the address of a remote. */
export const defaultDenied: readonly string[] = [
  '.env*',
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  '{id_rsa,id_dsa,id_ecdsa,id_ed25519}*',
  '{.ssh,.aws,.gnupg,.kube,.docker}',
  '{.npmrc,.pypirc,.netrc,.git-credentials}',
  '**/.git/config',
]

/** The folders that a call may touch. */
export const PathPolicy = z.strictObject({
  roots: z.array(z.string().min(1).max(4096)).max(100).default([]).describe('Folders; none = the working directory.'),
  denied: z.array(z.string().min(1).max(1000)).max(200).optional().describe('Globs; absent = the usual secrets.'),
  allowHardLinks: z
    .boolean()
    .optional()
    .describe('Whether files with a second hard link may be read, as pnpm makes them; they may be of other folders.'),
})
export type PathPolicy = z.infer<typeof PathPolicy>

const fields = {
  description: z.string().max(4000),
  enabled: z.boolean(),
  provider: ProviderKind,
  model: z.string().max(200).describe('By its name at the provider.'),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .nullable()
    .describe('Where the provider is; null = its usual address. openai-compatible needs one.'),
  api: z.enum(['responses', 'chat']).describe('Of the provider openai: which of its two APIs.'),
  keySecret: SecretName.nullable().describe(
    'The stored secret that is the key of the provider; null = OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY.',
  ),
  instructions: z.string().max(200_000),
  temperature: z.number().min(0).max(2).nullable(),
  workingDir: z.string().max(4096).nullable().describe('Where it works unless a call says otherwise.'),
  paths: PathPolicy,
  abilities: z.array(Ability).nullable().describe('What it offers as an MCP server; null = all that it can do.'),
  tools: ToolPolicy,
  limits: SessionLimits,
  pricing: Pricing.nullable(),
  command: AgentCommand.nullable().describe('Of the provider command.'),
  routes: z.array(RouteRule).max(100),
}

const defaults = {
  description: fields.description.default(''),
  enabled: fields.enabled.default(true),
  model: fields.model.default(''),
  baseUrl: fields.baseUrl.default(null),
  api: fields.api.default('responses'),
  keySecret: fields.keySecret.default(null),
  instructions: fields.instructions.default(''),
  temperature: fields.temperature.default(null),
  workingDir: fields.workingDir.default(null),
  paths: fields.paths.prefault({}),
  abilities: fields.abilities.default(null),
  tools: fields.tools.prefault({}),
  limits: fields.limits.prefault({}),
  pricing: fields.pricing.default(null),
  command: fields.command.default(null),
  routes: fields.routes.default([]),
}

/** What a person or program sends to make a session. */
export const SessionInput = z.strictObject({ name: SessionName, provider: ProviderKind, ...defaults })
export type SessionInput = z.input<typeof SessionInput>
/** A session with every default filled in. */
export type Session = z.output<typeof SessionInput>

/** Changes of a session. Absent fields stay as they are; of tools, limits and paths, too. */
export const SessionPatch = z
  .strictObject({
    ...fields,
    name: SessionName,
    tools: z.strictObject(withoutDefaults(ToolPolicy.shape)).partial(),
    limits: z.strictObject(withoutDefaults(SessionLimits.shape)).partial(),
    paths: z
      .strictObject({
        ...withoutDefaults(PathPolicy.shape),
        denied: PathPolicy.shape.denied.nullable().describe('Globs; null = the usual secrets.'),
      })
      .partial(),
  })
  .partial()
export type SessionPatch = z.infer<typeof SessionPatch>

/** An absent field of a change means: as it is. */
function withoutDefaults<T extends z.ZodRawShape>(shape: T): { [K in keyof T]: z.ZodType<z.output<T[K]>> } {
  const bare = Object.entries(shape).map(([name, type]) => [name, type instanceof z.ZodDefault ? type.unwrap() : type])
  return Object.fromEntries(bare) as { [K in keyof T]: z.ZodType<z.output<T[K]>> }
}

/** How the turns of a session went lately. */
export const SessionHealth = z.object({
  state: z
    .enum(['unknown', 'healthy', 'failing', 'disabled', 'unready'])
    .describe(
      'unknown = not used so far; failing = the last turns failed; unready = something is missing, see problem.',
    ),
  problem: z.string().nullable().describe('What is missing or went wrong, and the next step.'),
  latencyMs: z.number().nullable().describe('Average of the last turns.'),
  failures: z.number().describe('Failed turns in a row.'),
  lastErrorAt: z.iso.datetime().nullable(),
  lastUsedAt: z.iso.datetime().nullable(),
  running: z.number().describe('Turns under way.'),
})
export type SessionHealth = z.infer<typeof SessionHealth>

export const SessionView = SessionInput.extend({
  id: z.string(),
  offered: z.array(Ability).describe('What it offers as an MCP server now.'),
  path: z.string().describe('Where clients of Streamable HTTP find it.'),
  openaiPath: z.string().describe('Base of its OpenAI-compatible endpoint.'),
  hasKey: z.boolean().describe('Whether the secret of its key is stored, where it needs one.'),
  bindings: z.array(z.string()).describe('Connectors that are bound to it.'),
  teams: z.array(z.string()).describe('Teams of which it is a member.'),
  health: SessionHealth,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
export type SessionView = z.infer<typeof SessionView>

/** What a session, and its turn, took. */
export const Usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedInputTokens: z.number(),
  reasoningTokens: z.number(),
  totalTokens: z.number(),
})
export type Usage = z.infer<typeof Usage>

/** A test of a session: is everything there, and does its provider answer? */
export const SessionTest = z.object({
  ok: z.boolean(),
  stages: z.array(
    z.object({ name: z.string(), ok: z.boolean(), ms: z.number(), detail: z.string(), fix: z.string().nullable() }),
  ),
})
export type SessionTest = z.infer<typeof SessionTest>

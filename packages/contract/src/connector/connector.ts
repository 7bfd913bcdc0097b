import { z } from 'zod'
import { impliedImage, Isolation, IsolationView } from './isolation.ts'

export const ConnectorName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/,
    'Use 1 to 40 letters, digits, "-" or "_", starting with a letter or digit.',
  )
  // Rules and views mean Herma's own tools by it; a server of that name would pass for them.
  .refine((name) => name !== 'herma', "'herma' is the name of Herma's own tools. Choose another.")
  .describe('Unique name; by default also the prefix of its tools.')

/** A header or environment variable. A secret value is written once and never read back. */
export const NamedValue = z.object({
  name: z.string().min(1, 'Give it a name.').max(256),
  value: z.string().max(65_536).optional().meta({ secret: true }),
  secret: z.boolean().optional().describe('Guessed from the name when absent.'),
  personal: z
    .boolean()
    .optional()
    .describe('Each principal gives a value of its own; there is none here. Needs the option credentials=personal.'),
})
export type NamedValue = z.infer<typeof NamedValue>

export const Transport = z
  .enum(['stream', 'stdio', 'http', 'sse'])
  .describe('stream = Streamable HTTP (preferred), http = plain JSON answers, sse = HTTP+SSE of 2024-11-05.')
export type Transport = z.infer<typeof Transport>

const milliseconds = z.number().int().min(0).max(86_400_000)

export const ConnectorOptions = z.strictObject({
  prefix: z
    .string()
    .regex(/^[A-Za-z0-9_-]{0,40}$/, 'Use at most 40 letters, digits, "-" or "_"; empty for no prefix.')
    .optional()
    .describe(
      'Prefix of exposed names; absent = the connector name, empty = none: names are exactly those of the server.',
    ),
  listed: z
    .boolean()
    .default(true)
    .describe('Whether it is in the catalog of the facade; false = only in servers that host it, and bindings.'),
  era: z
    .enum(['auto', 'legacy', 'modern'])
    .default('auto')
    .describe(
      'Protocol era; auto finds out and remembers: of a server that speaks both, a process speaks the older one, and a URL the one of each client.',
    ),
  start: z.enum(['use', 'boot']).default('use').describe('Start on first use, or when the hub starts.'),
  isolation: z
    .enum(['shared', 'kind', 'connection', 'single'])
    .default('shared')
    .describe(
      'shared = one process for all clients, and another one only for clients that cannot answer what it was seen to ask; a URL has one session for each kind of client. kind = one process or session for each kind of client, told what that can do; connection = one for each legacy client connection; single = one for all, told that its clients can do everything.',
    ),
  credentials: z
    .enum(['shared', 'personal'])
    .default('shared')
    .describe('shared = one sign-in for everybody; personal = each principal signs in and gives values of its own.'),
  pinning: z
    .enum(['allow', 'warn', 'block'])
    .default('warn')
    .describe(
      'What happens to a tool that is not as it was approved: allow = served, and approved as it is; warn = served and marked; block = not served until a person approves it.',
    ),
  handshakeTimeoutMs: milliseconds.min(100).default(30_000).describe('Limit of start and handshake together.'),
  installTimeoutMs: milliseconds
    .default(300_000)
    .describe('The same for a command that may install the server first: npx, uvx, bunx, docker and their like.'),
  requestTimeoutMs: milliseconds
    .default(600_000)
    .describe(
      'Silence after which a call fails. Progress, log messages and questions are signs of life, and so is the answer of a legacy server to a ping. 0 = never.',
    ),
  maxRequestMs: milliseconds.default(3_600_000).describe('Limit of one call whatever its signs of life. 0 = none.'),
  idleTimeoutMs: milliseconds.default(600_000).describe('Idle time after which a process is stopped. 0 = never.'),
  maxRestarts: z.number().int().min(0).max(1000).default(5).describe('Failed starts in a row before it rests.'),
  maxConcurrency: z
    .number()
    .int()
    .min(1)
    .max(4096)
    .default(256)
    .describe('Calls under way at once; further ones are refused.'),
  maxMessageBytes: z
    .number()
    .int()
    .min(1024)
    .max(1_073_741_824)
    .default(16_777_216)
    .describe('Largest message accepted from the server.'),
  maxListEntries: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(10_000)
    .describe('Tools, prompts, resources or templates that are taken of one list; the rest is left out.'),
  maxListBytes: z
    .number()
    .int()
    .min(1024)
    .max(1_073_741_824)
    .default(16_777_216)
    .describe('Size up to which one list is taken, all pages together; the rest is left out.'),
  maxDescriptorBytes: z
    .number()
    .int()
    .min(1024)
    .max(1_073_741_824)
    .default(1_048_576)
    .describe('Largest single tool, prompt, resource or template; a larger one is left out.'),
  maxEventsPerMinute: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(1000)
    .describe(
      'Events that the server may cause in a minute; the rest is counted, and told in one. Calls are not among them.',
    ),
  listRefreshMs: milliseconds
    .default(300_000)
    .describe(
      'How often the lists of a server that is in use are read again, in case it changes them without saying so. 0 = only when it says so.',
    ),
})
export type ConnectorOptions = z.infer<typeof ConnectorOptions>

/** How the hub signs in to a server that wants OAuth 2.1. Secrets are written once and never read back. */
export const ConnectorOAuth = z.strictObject({
  grant: z
    .enum(['authorization_code', 'client_credentials'])
    .default('authorization_code')
    .describe('authorization_code = a person signs in with herma login; client_credentials = the hub by itself.'),
  clientId: z.string().min(1).max(2048).optional().describe('Absent: the hub registers itself.'),
  clientSecret: z.string().min(1).max(65_536).optional().meta({ secret: true }),
  clientMetadataUrl: z
    .url({ protocol: /^https$/ })
    .optional()
    .describe('Client ID metadata document that lists the redirect address of the hub.'),
  scope: z.string().max(4096).optional().describe('Scopes to ask for, separated by spaces; absent: what it names.'),
  privateKey: z
    .string()
    .min(1)
    .max(65_536)
    .optional()
    .meta({ secret: true })
    .describe('PKCS#8 in PEM, for private_key_jwt.'),
  algorithm: z.enum(['ES256', 'ES384', 'ES512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']).optional(),
})
export type ConnectorOAuth = z.infer<typeof ConnectorOAuth>

const fields = {
  name: ConnectorName,
  description: z.string().max(4000).default(''),
  kind: z.enum(['client', 'server']).default('client'),
  enabled: z.boolean().default(true),
  transport: Transport,
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('For example https://mcp.example.com'),
  endpointPath: z.string().max(2048).optional().describe('For example /mcp; absent = the path of the base URL.'),
  headers: z.array(NamedValue).max(100).default([]),
  cmd: z.string().max(4096).optional().describe('Executable of a stdio server.'),
  args: z.array(z.string().max(65_536)).max(500).default([]),
  env: z.array(NamedValue).max(500).default([]),
  workingDir: z.string().max(4096).optional(),
  isolation: Isolation.optional().describe('Of a stdio server; absent = process.'),
  oauth: ConnectorOAuth.optional(),
  options: ConnectorOptions.prefault({}),
  notes: z.string().max(20_000).default(''),
}

/** What a person or program sends to create a connector. */
export const ConnectorInput = z.strictObject(fields).check((context) => {
  const { transport, baseUrl, cmd, oauth, headers, env, options, isolation } = context.value
  // An image may have a command of its own.
  const hasImage = isolation?.type === 'container' && isolation.image !== undefined
  if (transport === 'stdio' && !cmd && !hasImage) {
    context.issues.push({ code: 'custom', input: cmd, path: ['cmd'], message: 'A stdio connector needs a command.' })
  }
  if (isolation?.type === 'container' && cmd && !hasImage && impliedImage(cmd) === null) {
    const message = `Name the image that '${cmd}' runs in: only npx and uvx have one by themselves.`
    context.issues.push({ code: 'custom', input: undefined, path: ['isolation', 'image'], message })
  }
  if (transport !== 'stdio' && isolation !== undefined) {
    const message = `A ${transport} connector starts no process that could be isolated.`
    context.issues.push({ code: 'custom', input: undefined, path: ['isolation'], message })
  }
  if (transport !== 'stdio' && !baseUrl) {
    context.issues.push({
      code: 'custom',
      input: baseUrl,
      path: ['baseUrl'],
      message: `A ${transport} connector needs a base URL.`,
    })
  }
  for (const [list, values] of Object.entries({ headers, env })) {
    for (const [index, { name, value, personal }] of values.entries()) {
      if (personal !== true || (value === undefined && options.credentials === 'personal')) continue
      const why = value === undefined ? 'needs the option credentials=personal' : 'takes no value here'
      const message = `'${name}' is personal, so it ${why}.`
      context.issues.push({ code: 'custom', input: undefined, path: [list, index, 'personal'], message })
    }
  }
  const problem = oauth === undefined ? null : problemOf(oauth, transport)
  if (problem !== null) context.issues.push({ code: 'custom', input: undefined, ...problem })
})

function problemOf(oauth: ConnectorOAuth, transport: Transport): { path: string[]; message: string } | null {
  const { grant, clientId, clientSecret, privateKey, algorithm } = oauth
  const hasSecret = clientSecret !== undefined || privateKey !== undefined
  if (transport === 'stdio') return { path: ['oauth'], message: 'A stdio connector has nowhere to sign in.' }
  if (grant === 'client_credentials' && !(clientId !== undefined && hasSecret))
    return {
      path: ['oauth', 'clientId'],
      message: 'Client credentials are a client id with a secret or a private key.',
    }
  if (hasSecret && clientId === undefined)
    return { path: ['oauth', 'clientId'], message: 'A client secret or private key needs its client id.' }
  if (privateKey !== undefined && algorithm === undefined)
    return { path: ['oauth', 'algorithm'], message: 'A private key needs its algorithm, for example ES256.' }
  return null
}

export type ConnectorInput = z.input<typeof ConnectorInput>
/** A connector with every default filled in. */
export type Connector = z.output<typeof ConnectorInput>

/** The options of a change have no defaults: an absent one stays as it is. */
export const OptionChanges = z
  .strictObject(
    Object.fromEntries(Object.entries(ConnectorOptions.shape).map(([name, type]) => [name, withoutDefault(type)])) as {
      [K in keyof typeof ConnectorOptions.shape]: z.ZodType<ConnectorOptions[K]>
    },
  )
  .partial()

function withoutDefault(type: z.ZodType): z.ZodType {
  return type instanceof z.ZodDefault ? (type.unwrap() as z.ZodType) : type
}

/** An absent field stays as it is, a secret too; null clears it. */
const OAuthChanges = z
  .strictObject(
    Object.fromEntries(
      Object.entries(ConnectorOAuth.shape).map(([name, type]) => [name, withoutDefault(type).nullable()]),
    ) as unknown as { [K in keyof typeof ConnectorOAuth.shape]: z.ZodType<ConnectorOAuth[K] | null> },
  )
  .partial()

/** Changes of a connector. Absent fields stay; a secret without a value keeps the stored one; null clears. */
export const ConnectorPatch = z
  .strictObject({
    ...fields,
    options: OptionChanges,
    oauth: OAuthChanges.nullable(),
    baseUrl: fields.baseUrl.nullable(),
    endpointPath: fields.endpointPath.nullable(),
    cmd: fields.cmd.nullable(),
    workingDir: fields.workingDir.nullable(),
    isolation: fields.isolation.unwrap().nullable(),
    description: z.string().max(4000),
    kind: z.enum(['client', 'server']),
    enabled: z.boolean(),
    headers: z.array(NamedValue).max(100),
    args: z.array(z.string().max(65_536)).max(500),
    env: z.array(NamedValue).max(500),
    notes: z.string().max(20_000),
  })
  .partial()
export type ConnectorPatch = z.infer<typeof ConnectorPatch>

/** A header or variable as it is shown: a secret has no value, only the fact that one is stored. */
export const NamedValueView = z.object({
  name: z.string(),
  value: z.string().optional(),
  secret: z.boolean(),
  stored: z.boolean().describe('True when a secret value is stored.'),
  changedAt: z.iso.datetime().optional().describe('When the secret value last changed; absent where it is not known.'),
  personal: z.boolean().optional().describe('Each principal gives its own value.'),
})
export type NamedValueView = z.infer<typeof NamedValueView>

/** The settings of a sign-in as they are shown: of a secret only the fact that one is stored. */
export const ConnectorOAuthView = ConnectorOAuth.omit({ clientSecret: true, privateKey: true }).extend({
  hasClientSecret: z.boolean(),
  hasPrivateKey: z.boolean(),
})
export type ConnectorOAuthView = z.infer<typeof ConnectorOAuthView>

/** Where the sign-in to a server stands. */
export const SignInView = z.object({
  state: z
    .enum(['none', 'needed', 'waiting', 'signed-in'])
    .describe('none = not asked for so far; needed = herma login; waiting = a person is at it.'),
  issuer: z.string().nullable().describe('The authorization server.'),
  scope: z.string().nullable(),
  expiresAt: z.iso.datetime().nullable().describe('When the access token expires; it is renewed before.'),
  problem: z.string().nullable().describe('Why the last attempt failed.'),
})
export type SignInView = z.infer<typeof SignInView>

/** What a sign-in needs next: a page for a person, or nothing. */
export const SignInStep = z.object({
  done: z.boolean(),
  url: z.string().nullable().describe('The page where a person signs in.'),
})
export type SignInStep = z.infer<typeof SignInStep>

export const DownstreamState = z
  .enum(['disabled', 'idle', 'starting', 'installing', 'ready', 'backoff', 'failed'])
  .describe('installing = its command fetches the server first, as npx, uvx and docker do.')
export type DownstreamState = z.infer<typeof DownstreamState>

/** A process of a stdio server, and why it runs. */
export const DownstreamProcess = z.object({
  processId: z.number(),
  inFlight: z.number().describe('Calls under way in it.'),
  reason: z.string().describe('Whom it is for, and why there is more than one.'),
})
export type DownstreamProcess = z.infer<typeof DownstreamProcess>

export const DownstreamHealth = z.object({
  state: DownstreamState,
  era: z.enum(['legacy', 'modern']).nullable(),
  revision: z.string().nullable().describe('Protocol revision spoken with this downstream.'),
  transport: Transport.nullable().describe(
    'The transport spoken with it: sse where an address of Streamable HTTP was found to be one of HTTP+SSE.',
  ),
  serverInfo: z.object({ name: z.string(), version: z.string() }).loose().nullable(),
  processId: z.number().nullable(),
  processes: z.array(DownstreamProcess).describe('Every process of it that runs.'),
  inFlight: z.number(),
  callCount: z.number(),
  errorCount: z.number(),
  restartCount: z.number(),
  failedStarts: z.number().describe('Failed starts and crashes in a row; a call that went through ends them.'),
  latencyMs: z.number().nullable().describe('Exponentially weighted mean of call latency.'),
  lastError: z.object({ at: z.iso.datetime(), message: z.string() }).nullable(),
  lastHandshakeAt: z.iso.datetime().nullable(),
  retryAt: z.iso.datetime().nullable().describe('When a downstream in backoff starts again.'),
  leftOut: z
    .array(z.string())
    .describe('What the hub does not take of what the server offers, and the option that says so. The rest is served.'),
})
export type DownstreamHealth = z.infer<typeof DownstreamHealth>

export const DescriptorCounts = z.object({
  tools: z.number(),
  resources: z.number(),
  resourceTemplates: z.number(),
  prompts: z.number(),
})
export type DescriptorCounts = z.infer<typeof DescriptorCounts>

/** How a connector did when somebody last tested it. */
export const LastTest = z.object({
  at: z.iso.datetime(),
  ok: z.boolean(),
  ms: z.number(),
  cause: z.string().nullable().describe('Why it failed.'),
})
export type LastTest = z.infer<typeof LastTest>

/** What would miss a connector. */
export const ConnectorUses = z.object({
  connector: z.string(),
  servers: z.array(z.string()).describe('Served servers that host it.'),
  sessions: z.array(z.string()).describe('Sessions that it is bound to.'),
  aggregates: z.array(z.string()).describe('Tools of the catalog that call it: aggregates and pipelines.'),
})
export type ConnectorUses = z.infer<typeof ConnectorUses>

export const ConnectorView = z.object({
  id: z.string(),
  name: ConnectorName,
  description: z.string(),
  kind: z.enum(['client', 'server']),
  enabled: z.boolean(),
  transport: Transport,
  baseUrl: z.string().nullable(),
  endpointPath: z.string().nullable(),
  headers: z.array(NamedValueView),
  cmd: z.string().nullable(),
  args: z.array(z.string()),
  env: z.array(NamedValueView),
  workingDir: z.string().nullable(),
  isolation: Isolation.nullable().describe('Null = process for a stdio server, and nothing for others.'),
  oauth: ConnectorOAuthView.nullable(),
  signIn: SignInView.nullable().describe('Null where a header of the connector, or nothing, takes its place.'),
  options: ConnectorOptions,
  notes: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  problem: z.string().nullable().describe('Why this row is not served, when it is not.'),
  warnings: z.array(z.string()).describe('What may let a secret be seen, by field.'),
  lastTest: LastTest.nullable().describe('Null when nobody has tested it so far.'),
  counts: DescriptorCounts,
  touches: IsolationView.nullable().describe('Of the process of a stdio server.'),
  health: DownstreamHealth,
})
export type ConnectorView = z.infer<typeof ConnectorView>

/** The answer to a change. */
export const SavedConnector = ConnectorView.extend({
  storedSecrets: z.array(z.string()).describe('Names under which values of it were stored, as the request wanted.'),
})
export type SavedConnector = z.infer<typeof SavedConnector>

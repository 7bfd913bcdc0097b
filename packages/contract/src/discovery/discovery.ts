import { z } from 'zod'
import { BundleName } from './bundle-name.ts'
import { ConnectorName, NamedValue, Transport } from '../connector/connector.ts'
import { Isolation, IsolationView } from '../connector/isolation.ts'
import { ImportReport } from '../hub.ts'

const text = (limit: number) => z.string().max(limit)

/** What a person pastes to fill the form of a connector. */
export const PasteInput = z.strictObject({
  text: text(1_000_000).describe("A client's JSON or TOML, a command, a URL, curl, a .env file, or an install link."),
})
export type PasteInput = z.infer<typeof PasteInput>

/** A connector as far as it could be read: what is missing is filled in by a person. */
export const ConnectorDraft = z.object({
  name: z.string().describe('A proposal, legal but perhaps taken.'),
  description: z.string(),
  enabled: z.boolean(),
  transport: Transport,
  baseUrl: z.string().optional(),
  headers: z.array(NamedValue).describe('Those without a value need one.'),
  cmd: z.string().optional(),
  args: z.array(z.string()),
  env: z.array(NamedValue).describe('Those without a value need one.'),
  workingDir: z.string().optional(),
})
export type ConnectorDraft = z.infer<typeof ConnectorDraft>

export const PasteReport = z.object({
  kind: z.enum(['json', 'toml', 'command', 'curl', 'url', 'env', 'link']).describe('What the text was taken for.'),
  connectors: z.array(ConnectorDraft),
  env: z.array(NamedValue).describe('Variables of a .env file, which belong to a connector that is being edited.'),
  notes: z.array(z.string()).describe('What was guessed, changed or left out, in sentences for a person.'),
  warnings: z
    .array(z.object({ name: z.string(), text: z.string() }))
    .describe('What looks like a secret in clear, by connector and field; never its value.'),
})
export type PasteReport = z.infer<typeof PasteReport>

/** A value that has to be known before something is installed. */
export const DiscoveryNeed = z.object({
  id: z.string().describe('The key of its value in an install request.'),
  name: z.string().describe('Of the variable, header, flag or placeholder.'),
  in: z.enum(['env', 'header', 'argument', 'url']),
  description: z.string(),
  isRequired: z.boolean(),
  isSecret: z.boolean(),
  isRepeated: z.boolean().describe('Several values, one on each line.'),
  format: z.enum(['string', 'number', 'boolean', 'filepath']),
  default: z.string().nullable(),
  placeholder: z.string().nullable(),
  choices: z.array(z.string()).describe('When there are any, the value is one of them.'),
})
export type DiscoveryNeed = z.infer<typeof DiscoveryNeed>

/** One way to get a server: a package that runs here, or an address. */
export const DiscoveryOption = z.object({
  id: z.string().describe('The option of an install request.'),
  kind: z.enum(['npm', 'pypi', 'oci', 'nuget', 'mcpb', 'remote', 'other']),
  runtime: z.enum(['local', 'remote']),
  title: z.string().describe('The package or the address.'),
  transport: Transport.nullable(),
  program: z.string().nullable().describe('The program that has to be on the PATH, such as npx.'),
  command: z.string().nullable().describe('What would run, with names in place of values.'),
  url: z.string().nullable(),
  needs: z.array(DiscoveryNeed),
  isInstallable: z.boolean(),
  whyNot: z.string().nullable().describe('Why it cannot be installed here, and what to do instead.'),
})
export type DiscoveryOption = z.infer<typeof DiscoveryOption>

/** A server of a registry. All of it is text of strangers, cleaned and cut. */
export const DiscoveredServer = z.object({
  registry: z.string().describe('Address of the registry.'),
  name: z.string().describe('For example io.github.someone/weather.'),
  title: z.string(),
  description: z.string(),
  version: z.string(),
  status: z.enum(['active', 'deprecated', 'deleted']),
  statusMessage: z.string(),
  repository: z.string().nullable(),
  website: z.string().nullable(),
  publishedAt: z.string().nullable(),
  connectors: z.array(z.string()).describe('Names of the connectors that were installed from it.'),
  options: z.array(DiscoveryOption),
})
export type DiscoveredServer = z.infer<typeof DiscoveredServer>

export const RegistryQuery = z.object({
  query: text(200).default('').describe('A part of the name.'),
  cursor: text(1000).optional().describe('nextCursor of the page before.'),
  registry: z.url().optional().describe('One of the registries of the settings; absent = the first.'),
})
export type RegistryQuery = z.infer<typeof RegistryQuery>

export const RegistryPage = z.object({
  registry: z.string(),
  servers: z.array(DiscoveredServer),
  nextCursor: z.string().nullable(),
  skipped: z.number().describe('Entries that could not be read.'),
})
export type RegistryPage = z.infer<typeof RegistryPage>

export const officialRegistry = 'https://registry.modelcontextprotocol.io'

export const DiscoverySettings = z.object({
  registries: z
    .array(z.url({ protocol: /^https?$/ }).max(2000))
    .min(1)
    .max(10)
    .default([officialRegistry])
    .describe(
      'Addresses of registries that speak the API of the official one; the first is asked unless another is named.',
    ),
})
export type DiscoverySettings = z.infer<typeof DiscoverySettings>

/** A server that the configuration of a client names. No value of a header or variable is told. */
export const ClientServerView = z.object({
  name: z.string().describe('As the client calls it.'),
  connector: z.string().describe('How it would be called here.'),
  state: z
    .enum(['new', 'same', 'herma', 'unreadable'])
    .describe('same = a connector does the same; herma = it is this hub; unreadable = see problem.'),
  sameAs: z.string().nullable().describe('The connector that does the same.'),
  transport: Transport.nullable(),
  command: z.string().nullable().describe('What the client runs, values that look secret masked.'),
  url: z.string().nullable(),
  headers: z.array(z.string()),
  env: z.array(z.string()),
  remarks: z.array(z.string()),
  problem: z.string().nullable(),
})
export type ClientServerView = z.infer<typeof ClientServerView>

/** The configuration file of an MCP client on the machine of the hub. */
export const ClientConfigView = z.object({
  id: z.string().describe('For example cursor, or claude-code:/srv/app for the file of a project.'),
  title: z.string(),
  file: z.string(),
  exists: z.boolean(),
  problem: z.string().nullable().describe('Why the file could not be read.'),
  servers: z.array(ClientServerView),
})
export type ClientConfigView = z.infer<typeof ClientConfigView>

const storesSecrets = 'Stores every value that looks like a secret under a name, and refers to it in its place.'

export const ClientImport = z.strictObject({
  client: text(5000).min(1).describe('Id of a client configuration.'),
  names: z.array(text(500)).min(1).max(500).describe('As the client calls them.'),
  storeSecrets: z.boolean().default(false).describe(storesSecrets),
  isolation: Isolation.optional().describe('Of those that are commands; absent = process.'),
})
export type ClientImport = z.infer<typeof ClientImport>

/** The report of an import, with what could not be taken over of the connectors that were added. */
export const ImportAnswer = ImportReport.extend({
  remarks: z.array(z.object({ name: z.string(), text: z.string() })),
  warnings: z
    .array(z.object({ name: z.string(), text: z.string() }))
    .describe('What may let a secret be seen, of the connectors that were added.'),
  storedSecrets: z.array(z.string()).describe('Names under which values were stored, as the request wanted.'),
})
export type ImportAnswer = z.infer<typeof ImportAnswer>

/** Where what is installed comes from. */
export const InstallSource = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('registry'),
    name: text(300).min(1).describe('Of the server, as the registry has it.'),
    version: text(300).optional().describe('Absent = the latest.'),
    registry: z.url().optional().describe('Absent = the first of the settings.'),
  }),
  z.strictObject({
    kind: z.literal('bundle'),
    name: BundleName,
    folder: text(4096)
      .optional()
      .describe('Absolute path of a folder with bundle.json; absent = one that comes with Herma.'),
  }),
  z.strictObject({
    kind: z.literal('client'),
    client: text(5000).min(1).describe('Id of a client configuration.'),
    name: text(500).min(1).describe('As the client calls it.'),
  }),
])
export type InstallSource = z.infer<typeof InstallSource>

/** What is installed, and with which values. The plan takes the same. */
export const InstallRequest = z.strictObject({
  source: InstallSource,
  option: text(2000).optional().describe('Of a registry entry; absent = the first that can be installed.'),
  values: z
    .record(text(500), text(65_536).meta({ secret: true }))
    .default({})
    .describe('By the id of the need.'),
  name: ConnectorName.optional().describe('Of the connector; absent = made from the name of the server.'),
  storeSecrets: z.boolean().default(false).describe(storesSecrets),
  isolation: Isolation.optional().describe('Of those that are commands; absent = process.'),
  force: z
    .boolean()
    .default(false)
    .describe('Replace connectors of the same name, and install although a program is missing.'),
})
export type InstallRequest = z.infer<typeof InstallRequest>

/** A connector as a plan shows it: secrets by name only. */
export const PlannedConnector = z.object({
  name: z.string(),
  action: z.enum(['add', 'replace', 'remove', 'keep']),
  why: z.string().describe('Why it is kept or replaced; empty for the others.'),
  transport: Transport,
  command: z.string().nullable(),
  url: z.string().nullable(),
  env: z.array(z.string()),
  headers: z.array(z.string()),
  secrets: z.array(z.string()).describe('Names of headers, variables and stored secrets whose values are sealed.'),
  touches: IsolationView.nullable().describe('What its process may touch; null where none is started.'),
})
export type PlannedConnector = z.infer<typeof PlannedConnector>

export const PlannedFile = z.object({
  path: z.string(),
  action: z.enum(['write', 'remove', 'keep']),
  why: z.string().describe('Why it is kept; empty for the others.'),
})
export type PlannedFile = z.infer<typeof PlannedFile>

export const NeededProgram = z.object({
  name: z.string(),
  path: z.string().nullable().describe('Where it was found; null when it is missing.'),
  fix: z.string().nullable().describe('How to get it when it is missing.'),
})
export type NeededProgram = z.infer<typeof NeededProgram>

/** What an install or a removal will do, before it does it. */
export const DiscoveryPlan = z.object({
  title: z.string(),
  isReady: z.boolean().describe('Whether nothing stands in the way.'),
  connectors: z.array(PlannedConnector),
  programs: z.array(NeededProgram),
  files: z.array(PlannedFile),
  secrets: z.array(z.string()).describe('Names of stored secrets that are made or removed.'),
  tools: z.array(z.string()).describe('Tools of the catalog fragment of a bundle.'),
  needs: z.array(DiscoveryNeed).describe('Everything that can be given.'),
  missing: z.array(z.string()).describe('Ids of needs that have no value but must have one.'),
  conflicts: z.array(z.string()).describe('What stands in the way, each with the next step.'),
  warnings: z.array(z.string()),
})
export type DiscoveryPlan = z.infer<typeof DiscoveryPlan>

export const RemoveRequest = z.strictObject({
  kind: z.enum(['bundle', 'connector']),
  name: text(200).min(1),
  force: z.boolean().default(false).describe('Remove what was changed by hand too.'),
})
export type RemoveRequest = z.infer<typeof RemoveRequest>

/** How an install or a removal went. */
export const DiscoveryReport = z.object({
  status: z.enum(['ok', 'failed']).describe('failed = nothing is different from before.'),
  details: z.object({
    added: z.array(z.string()),
    replaced: z.array(z.string()),
    removed: z.array(z.string()),
    kept: z.array(z.string()),
    secrets: z.array(z.string()),
    tools: z.array(z.string()),
  }),
  files_updated: z.array(z.string()),
  commands_run: z.array(z.string()).describe('What the hub starts because of it, secrets masked.'),
  warnings: z.array(z.string()),
  errors: z.array(z.string()),
})
export type DiscoveryReport = z.infer<typeof DiscoveryReport>

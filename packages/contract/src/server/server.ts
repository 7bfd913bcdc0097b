import { z } from 'zod'
import { Mode } from '../catalog/view.ts'
import { ConnectorName } from '../connector/connector.ts'

export const ServerName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'A server is named with up to 40 of a-z, 0-9 and "-".')

const Switches = {
  description: z.string().max(4000).describe('For people.'),
  enabled: z
    .boolean()
    .describe('A disabled server refuses its clients. Teams and sessions have a switch of their own.'),
  connector: ConnectorName.nullable().describe(
    'The connector that it hosts: that one alone, under its own names. null = the catalog. Only of a custom server.',
  ),
  sse: z.boolean().describe('Whether clients of HTTP+SSE (2024-11-05) may use it.'),
  mode: Mode.describe(
    'full = every tool is listed; search = three tools that find, describe and call the others; code = one tool that runs scripts which call them.',
  ),
  view: z.string().max(40).nullable().describe('Name of the view that clients get; null = the one that is for them.'),
  metadata: z.boolean().describe('Whether descriptors say which server they come from, in _meta["x-herma"].'),
  schemas: z
    .enum(['auto', 'original', 'strict'])
    .describe('strict = schemas are rewritten for clients that take only simple ones; auto = for those known to.'),
  fallbacks: z
    .enum(['auto', 'on', 'off'])
    .describe('Whether tools named search and fetch, over all resources, are offered: auto = to ChatGPT.'),
  access: z
    .enum(['auto', 'local', 'required'])
    .describe(
      'Who needs no key: auto = programs of this machine, while the hub has no public URL; local = they never do; required = nobody. Others always need one.',
    ),
  keyHeader: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'A header name has up to 64 letters, digits and "-".')
    .toLowerCase()
    .describe('Where clients put their API key: authorization (as Bearer), or a header of that name.'),
}

/** An MCP server that Herma serves. */
export const ServerView = z.object({
  name: z.string(),
  kind: z
    .enum(['facade', 'custom', 'team', 'session', 'management'])
    .describe(
      'facade = at /mcp; custom = one that a person added; team = sessions behind one server; session = one of them alone; management = the hub itself, for agents.',
    ),
  path: z.string().describe('Where clients of Streamable HTTP find it.'),
  ssePath: z.string().describe('Where clients of HTTP+SSE find it, if they may.'),
  rpcPath: z.string().describe('Where single JSON-RPC requests are answered, without a connection.'),
  healthPath: z.string().describe('Where probes ask how it is.'),
  ...Switches,
  connector: z.string().nullable(),
  tools: z.int().nullable().describe('How many tools it lists; null = not known before somebody asks it.'),
  lastHandshake: z.iso.datetime().nullable().describe('When a client last introduced itself, since the hub started.'),
})
export type ServerView = z.infer<typeof ServerView>

/** Changes of a served server. Absent fields stay as they are. */
export const ServerPatch = z.strictObject(Switches).partial()
export type ServerPatch = z.infer<typeof ServerPatch>

/** A served server to be added. */
export const ServerInput = ServerPatch.extend({
  name: ServerName,
})
export type ServerInput = z.infer<typeof ServerInput>

/** A tool in the list of a served server. */
export const ServedTool = z.object({
  name: z.string().describe('The name that clients see.'),
  title: z.string().nullable(),
  description: z.string(),
  tokens: z.number().describe('What its definition costs a model, about.'),
})
export type ServedTool = z.infer<typeof ServedTool>

/** How a served server is, for probes. */
export const ServerHealth = z.object({
  name: z.string(),
  kind: ServerView.shape.kind,
  enabled: z.boolean(),
  state: z
    .enum(['ready', 'starting', 'failing', 'disabled'])
    .describe('ready and starting are answered with 200, the others with 503.'),
  tools: z.int().nullable(),
  lastHandshake: z.iso.datetime().nullable(),
  inFlight: z.int().describe('Requests that are being answered.'),
  problem: z.string().nullable().describe('Why it is not ready, and the next step.'),
})
export type ServerHealth = z.infer<typeof ServerHealth>

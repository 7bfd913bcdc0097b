import {
  ConnectorInput,
  ServerPatch,
  TeamPatch,
  type ConnectorView,
  type PathPolicy,
  type RoutingRule,
  type ServerView,
  type TeamTool,
  type TeamView,
  type Transport,
} from '@herma/contract'
import { z } from 'zod'
import { toNamedValues, toValueRow, type ValueRow } from '../../ui/list-editor/value-row.ts'

/** How a server is served, while it is edited. */
export type SwitchDraft = Required<Omit<ServerPatch, 'enabled' | 'connector' | 'description'>>

/** A team while it is edited; a number that is not there yet is null. */
export interface TeamDraft {
  readonly hopLimit: number | null
  readonly maxConcurrency: number | null
  readonly maxQueue: number | null
  readonly deadlineMs: number | null
  readonly workingDir: string
  readonly hasPathPolicy: boolean
  readonly paths: PathPolicy
  readonly routing: Readonly<Partial<Record<TeamTool, RoutingRule>>>
  readonly dispatch: { readonly enabled: boolean; readonly allow: readonly string[] }
}

/** The connector behind a custom server, while it is edited. */
export interface HostedDraft {
  readonly transport: Transport
  readonly baseUrl: string
  readonly endpointPath: string
  readonly headers: readonly ValueRow[]
  readonly cmd: string
  readonly args: readonly string[]
  readonly env: readonly ValueRow[]
  readonly workingDir: string
}

/** Everything about a server that is saved together. */
export interface ServerDraft {
  readonly description: string
  readonly server: SwitchDraft
  readonly team: TeamDraft | null
  readonly hosted: HostedDraft | null
}

/** What the API checks, by where it is sent. */
export const ServerForm = z.object({
  description: z.string().max(4000),
  server: ServerPatch,
  team: TeamPatch.optional(),
  connector: ConnectorInput.optional(),
})
export type ServerForm = z.infer<typeof ServerForm>

export function toDraft(
  server: ServerView,
  team: TeamView | undefined,
  hosted: ConnectorView | undefined,
): ServerDraft {
  const { sse, mode, view, metadata, schemas, fallbacks, access, keyHeader } = server
  return {
    description: server.description,
    server: { sse, mode, view, metadata, schemas, fallbacks, access, keyHeader },
    team: team === undefined ? null : toTeamDraft(team),
    hosted: hosted === undefined ? null : toHostedDraft(hosted),
  }
}

function toTeamDraft(team: Omit<TeamView, 'members'>): TeamDraft {
  const { hopLimit, maxConcurrency, maxQueue, deadlineMs, hasPathPolicy, paths, routing, dispatch } = team
  const numbers = { hopLimit, maxConcurrency, maxQueue, deadlineMs }
  return { ...numbers, workingDir: team.workingDir ?? '', hasPathPolicy, paths, routing, dispatch }
}

function toHostedDraft(connector: ConnectorView): HostedDraft {
  const { transport, baseUrl, endpointPath, headers, cmd, args, env, workingDir } = connector
  return {
    transport,
    baseUrl: baseUrl ?? '',
    endpointPath: endpointPath ?? '',
    headers: headers.map(toValueRow),
    cmd: cmd ?? '',
    args,
    env: env.map(toValueRow),
    workingDir: workingDir ?? '',
  }
}

/** What is checked, and sent, for a draft. */
export function toForm(draft: ServerDraft, connector: string): unknown {
  return {
    description: draft.description,
    server: draft.server,
    ...(draft.team !== null && { team: toTeamInput(draft.team) }),
    ...(draft.hosted !== null && { connector: { name: connector, ...toConnectorInput(draft.hosted) } }),
  }
}

export function toTeamInput(team: TeamDraft) {
  const workingDir = team.workingDir.trim()
  // A rule that names nobody is none.
  const rules = Object.entries(team.routing).filter(([, { prefer, fallback }]) => prefer.length + fallback.length > 0)
  return { ...team, workingDir: workingDir === '' ? null : workingDir, routing: Object.fromEntries(rules) }
}

/** Only what belongs to the transport: what was typed for another one does not count. */
export function toConnectorInput(hosted: HostedDraft) {
  const { transport } = hosted
  if (transport === 'stdio')
    return {
      transport,
      cmd: hosted.cmd.trim(),
      args: hosted.args,
      env: toNamedValues(hosted.env),
      ...optional('workingDir', hosted.workingDir),
    }
  return {
    transport,
    ...optional('baseUrl', hosted.baseUrl),
    ...optional('endpointPath', hosted.endpointPath),
    headers: toNamedValues(hosted.headers),
  }
}

function optional<Name extends string>(name: Name, value: string) {
  const text = value.trim()
  return (text === '' ? {} : { [name]: text }) as { [key in Name]?: string }
}

export const noHosted: HostedDraft = {
  transport: 'stdio',
  baseUrl: '',
  endpointPath: '',
  headers: [],
  cmd: '',
  args: [],
  env: [],
  workingDir: '',
}

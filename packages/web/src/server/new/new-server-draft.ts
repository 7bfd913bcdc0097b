import { ConnectorInput, ServerName, ServerPatch, TeamInput, type NewApiKey, type TeamMember } from '@herma/contract'
import { z } from 'zod'
import { api } from '../../api/client.ts'
import { ApiProblem } from '../../api/problem.ts'
import { at } from '../form/save-server.ts'
import { noHosted, toConnectorInput, toTeamInput, type ServerDraft, type TeamDraft } from '../form/server-draft.ts'

/** What a custom server serves: a server that Herma reaches for it, a connector that is there, or the catalog. */
export type Serves = 'hosted' | 'connector' | 'catalog'

export interface NewServerDraft extends ServerDraft {
  readonly name: string
  readonly kind: 'team' | 'custom'
  readonly enabled: boolean
  readonly serves: Serves
  readonly team: TeamDraft
  readonly members: readonly TeamMember[]
  /** The connector that is there already. */
  readonly connector: string
  readonly makesKey: boolean
}

export const NewServerForm = z.object({
  name: ServerName,
  description: z.string().max(4000),
  enabled: z.boolean(),
  server: ServerPatch,
  team: TeamInput.omit({ name: true }).optional(),
  connector: ConnectorInput.optional(),
  host: z.string().min(1, 'Choose a connector, or add one first.').optional(),
  makesKey: z.boolean(),
})
export type NewServerForm = z.infer<typeof NewServerForm>

const { hopLimit, maxConcurrency, maxQueue, deadlineMs, dispatch } = TeamInput.parse({ name: 'new' })

export const newServer: NewServerDraft = {
  name: '',
  kind: 'team',
  enabled: true,
  description: '',
  serves: 'hosted',
  connector: '',
  members: [],
  makesKey: false,
  server: {
    sse: false,
    mode: 'full',
    view: null,
    metadata: true,
    schemas: 'auto',
    fallbacks: 'auto',
    access: 'auto',
    keyHeader: 'authorization',
  },
  team: {
    hopLimit,
    maxConcurrency,
    maxQueue,
    deadlineMs,
    dispatch,
    workingDir: '',
    hasPathPolicy: false,
    paths: { roots: [] },
    routing: {},
  },
  hosted: noHosted,
}

export function toNewServer(draft: NewServerDraft): unknown {
  const { kind, serves, hosted, team, members, makesKey, enabled } = draft
  const name = draft.name.trim()
  const description = draft.description.trim()
  return {
    name,
    description,
    enabled,
    server: draft.server,
    makesKey,
    ...(kind === 'team' && { team: { ...toTeamInput(team), members } }),
    ...(kind === 'custom' &&
      serves === 'hosted' &&
      hosted !== null && {
        // A name that is still to be mended is one problem, not two.
        connector: { name: ServerName.safeParse(name).success ? name : 'new', ...toConnectorInput(hosted) },
      }),
    ...(kind === 'custom' && serves === 'connector' && { host: draft.connector }),
  }
}

/** Adds everything that a new server is made of, or nothing. */
export async function addServer(form: NewServerForm): Promise<void> {
  const { name, description, enabled, server, team, connector } = form
  if (team !== undefined) {
    await at('team', addNamed(api.addTeam({ body: { ...team, name, description, enabled } })))
    await orRemove(at('server', api.updateServer({ name, body: server })), () => api.removeTeam({ name }))
    return
  }
  if (connector !== undefined) {
    const body = { ...connector, kind: 'server', description, options: { listed: false } } as const
    await at('connector', addNamed(api.addConnector({ body })))
  }
  const host = connector === undefined ? (form.host ?? null) : name
  const body = { ...server, name, description, enabled, connector: host }
  const adding = at('server', addNamed(api.addServer({ body })))
  await (connector === undefined ? adding : orRemove(adding, () => api.removeConnector({ name })))
}

/** What was made first goes again when what belongs to it fails: a second attempt would find its name taken. */
async function orRemove(rest: Promise<unknown>, remove: () => Promise<void>): Promise<void> {
  try {
    await rest
  } catch (error) {
    await remove()
    throw error
  }
}

/** A key for one server. */
export function addKey(server: string): Promise<NewApiKey> {
  return api.addKey({ body: { name: `${server}-${Date.now().toString(36)}`, servers: [server] } })
}

/** A name that is taken is a problem of the field with the name. */
async function addNamed(adding: Promise<unknown>): Promise<void> {
  try {
    await adding
  } catch (error) {
    if (!(error instanceof ApiProblem) || !error.code.endsWith('_EXISTS')) throw error
    throw new NameTaken(error)
  }
}

/** Not prefixed by where it was sent: the name has a field of its own. */
export class NameTaken extends Error {
  constructor(cause: ApiProblem) {
    super(cause.message, { cause })
  }

  /** As the form can show it. */
  toProblem(): ApiProblem {
    const { status, code, message } = this.cause as ApiProblem
    return new ApiProblem(status, code, message, [{ path: 'name', message }])
  }
}

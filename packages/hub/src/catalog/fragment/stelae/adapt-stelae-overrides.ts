import { ExposedName } from '@herma/contract'
import { isObject } from '../../../wire/index.ts'
import { legalName } from '../../core/exposed-name.ts'
import type { Draft, StelaeDraft } from './stelae-draft.ts'

/** Rewrites Stelae's `toolOverrides`, with the two places where its first version kept tools of no server. */
export function adaptStelaeOverrides(overrides: unknown, draft: StelaeDraft): unknown {
  if (!isObject(overrides)) return overrides
  const version = overrides['schemaVersion']
  if (version === 1) {
    draft.note(overrides, 'schemaVersion', 'Version 1 is read as version 2.')
    overrides['schemaVersion'] = 2
  }
  promote(draft, overrides, overrides)
  if (isObject(overrides['master'])) promote(draft, overrides, overrides['master'])
  const servers = overrides['servers']
  if (!isObject(servers)) return overrides
  for (const [name, server] of Object.entries(servers)) {
    if (isObject(server) && isObject(server['tools'])) renameTools(server['tools'], draft)
    if (draft.ownServers.has(name)) joinOwnServer(draft, servers, name)
  }
  return overrides
}

/** Tools that are named outside of any server are those of all servers. */
function promote(draft: StelaeDraft, overrides: Draft, owner: Draft): void {
  const tools = owner['tools']
  if (!isObject(tools)) return
  const servers = (overrides['servers'] ??= {})
  if (!isObject(servers)) return
  for (const [name, override] of Object.entries(tools)) {
    if (name === '*' && owner !== overrides) continue
    const everywhere = (servers['*'] ??= { tools: {} }) as Draft
    draft.note(tools, name, `'${name}' is taken as a tool of every server: servers["*"].tools.`)
    everywhere['tools'] = { [name]: override, ...(everywhere['tools'] as Draft | undefined) }
    delete tools[name]
  }
  if (owner === overrides) delete owner['tools']
}

function joinOwnServer(draft: StelaeDraft, servers: Draft, name: string): void {
  draft.note(servers, name, `'${name}' is taken as 'herma': Herma's own tools have that server.`)
  const moved = draft.take(servers, name)
  if (name === 'facade' && isObject(moved)) narrowToFacade(draft, moved)
  const present = servers['herma']
  if (!isObject(moved) || !isObject(present)) servers['herma'] = moved
  else {
    const tools = { ...(present['tools'] as Draft | undefined), ...(moved['tools'] as Draft | undefined) }
    Object.assign(present, moved, { tools })
  }
}

/** Stelae's facade has two tools of its own; what it says of all of them must not hold for every tool of Herma's. */
function narrowToFacade(draft: StelaeDraft, facade: Draft): void {
  if (facade['enabled'] !== false) return
  draft.note(facade, 'enabled', 'It is taken for search and fetch alone, the tools that the facade has in Stelae.')
  delete facade['enabled']
  const given = isObject(facade['tools']) ? facade['tools'] : {}
  for (const tool of ['search', 'fetch']) {
    const override = given[tool]
    if (isObject(override)) override['enabled'] = false
    else given[tool] = { enabled: false }
  }
  facade['tools'] = given
}

function renameTools(tools: Draft, draft: StelaeDraft): void {
  for (const override of Object.values(tools)) {
    const name = isObject(override) ? override['name'] : undefined
    if (!isObject(override) || typeof name !== 'string' || ExposedName.safeParse(name).success) continue
    override['name'] = legalName(name.trim())
    draft.note(override, 'name', `Not every client takes the name '${name}'; it becomes '${String(override['name'])}'.`)
  }
}

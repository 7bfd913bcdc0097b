import type { Decision, Principal } from '@herma/contract'
import { type Action, decision } from './action.ts'

/** What a principal may do before any rule is asked. A narrowing is final; a role's limit is not, a rule may widen it. */
export interface Grant {
  readonly decision: Decision
  readonly isFinal: boolean
}

export function baseGrant(action: Action): Grant {
  const { principal, method, server } = action
  if (principal.servers !== null && !principal.servers.includes(server)) return refuseServer(principal, server)
  if (principal.scopes !== null && !principal.scopes.includes('mcp')) {
    if (!principal.scopes.includes('mcp:read')) return refuseScope(action, 'mcp')
    if (!isReading(action)) return refuseScope(action, 'mcp')
  }
  if (principal.role !== 'viewer') return grants[principal.role]
  if (isReading(action)) return grants.viewer
  const what = method === 'tools/call' ? `'${action.target}' is not marked as one that only reads` : `${method} is more`
  return {
    isFinal: false,
    decision: decision(
      false,
      `A viewer lists and reads, and ${what}. An admin can give another role, an owner can allow it: herma policy add allow`,
    ),
  }
}

/** Whether the base grant allows a principal whatever it wants to do. */
export function mayUseEverything({ servers, scopes, role }: Principal): boolean {
  return servers === null && scopes === null && role !== 'viewer'
}

const grants = {
  owner: { isFinal: false, decision: decision(true, 'An owner may use everything.') },
  admin: { isFinal: false, decision: decision(true, 'An admin may use everything.') },
  member: { isFinal: false, decision: decision(true, 'A member may use every server.') },
  viewer: { isFinal: false, decision: decision(true, 'A viewer may list and read.') },
} satisfies Record<Principal['role'], Grant>

/** Methods that change nothing at a server. What is not named here may do anything, as far as we know. */
const readingMethods: ReadonlySet<string> = new Set([
  'initialize',
  'server/discover',
  'ping',
  'tools/list',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'subscriptions/listen',
  'completion/complete',
  'logging/setLevel',
  'tasks/get',
  'tasks/list',
  'tasks/result',
])

function isReading({ method, annotations }: Action): boolean {
  return method === 'tools/call' ? saysReadOnly(annotations) : readingMethods.has(method)
}

function saysReadOnly(annotations: unknown): boolean {
  return typeof annotations === 'object' && annotations !== null && 'readOnlyHint' in annotations
    ? annotations.readOnlyHint === true
    : false
}

function refuseServer({ kind, name, servers }: Principal, server: string): Grant {
  const why = `The ${nounOf(kind)} '${name}' is for ${listed(servers!, 'server')} and not for '${server}'. Use one that is for it.`
  return { isFinal: true, decision: decision(false, why) }
}

function refuseScope({ principal, method, target }: Action, missingScope: string): Grant {
  const what = target === '' ? method : `${method} of '${target}'`
  const has = principal.scopes!.length === 0 ? 'no scope' : listed(principal.scopes!, 'scope')
  const why = `The ${nounOf(principal.kind)} '${principal.name}' has ${has}, and ${what} needs ${missingScope}. Use one that has it.`
  return { isFinal: true, decision: decision(false, why, { missingScope }) }
}

function nounOf(kind: Principal['kind']): string {
  return kind === 'key' ? 'key' : 'token of'
}

function listed(names: readonly string[], noun: string): string {
  return `the ${noun}${names.length === 1 ? '' : 's'} ${names.join(', ')}`
}

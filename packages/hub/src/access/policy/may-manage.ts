import type { Decision, Principal, Role } from '@herma/contract'
import { decision } from './action.ts'
import { outranks } from './owner/outranks.ts'

interface ManagedRoute {
  /** Name of the operation. */
  readonly id: string
  readonly method: string
  readonly role?: Role | 'known' | 'public'
}

/** Whether somebody may use an operation of the management API at all; whose things it touches is another question. */
export function mayManage(principal: Principal, route: ManagedRoute): Decision {
  if (route.role === 'known' || route.role === 'public') return granted
  if (isNarrowed(principal) && !principal.scopes?.includes('admin')) return withoutScope(principal)
  const least = leastRole(route)
  if (!outranks(least, principal.role)) return granted
  const why = `${route.id} needs the role ${least}, and '${principal.name}' is ${articled(principal.role)}. Ask an owner for that role.`
  return decision(false, why)
}

/** The least role that an operation needs: those that nobody named are safe to look at, and for admins to change. */
export function leastRole({ method, role }: ManagedRoute): Role {
  if (role !== undefined && role !== 'known' && role !== 'public') return role
  return method === 'GET' ? 'viewer' : 'admin'
}

/** Whose something is: a key, a user, a credential. */
export interface Belonging {
  /** Id of the principal that it belongs to. */
  readonly owner: string
  /** What it lets its holder do. */
  readonly role: Role
}

/** Whether somebody may change what belongs to somebody: one's own always, as an admin that of members and viewers. */
export function mayTouch(principal: Principal, { owner, role }: Belonging): Decision {
  if (principal.role === 'owner') return granted
  if (outranks(role, principal.role))
    return decision(
      false,
      `It has the role ${role}, and '${principal.name}' is ${articled(principal.role)}. Ask an owner.`,
    )
  if (owner === principal.id) return granted
  if (role === 'admin') return decision(false, `It belongs to an admin, '${owner}'. Ask an owner.`)
  if (principal.role === 'admin') return granted
  return decision(false, `It belongs to '${owner}'. Ask an admin, or whoever it belongs to.`)
}

/** Whether somebody may give a role to somebody, or take it: who is an admin is for owners to say. */
export function mayAppoint(principal: Principal, role: Role): Decision {
  if (principal.role === 'owner') return granted
  const least = outranks('admin', role) ? role : 'owner'
  if (!outranks(least, principal.role)) return granted
  return decision(
    false,
    `You are ${principal.role}, so you can neither give nor manage the role ${role}. Ask an ${least === 'owner' ? least : 'admin'}.`,
  )
}

const granted = decision(true, 'The role allows it.')

/** A key or a token never has the whole of its role unless it was made for that. */
function isNarrowed({ kind, scopes }: Principal): boolean {
  return scopes !== null || kind === 'key' || kind === 'client'
}

function withoutScope({ name, scopes }: Principal): Decision {
  const has = scopes === null || scopes.length === 0 ? 'no scope' : `only ${scopes.join(', ')}`
  const why = `The management API needs the scope admin, and '${name}' has ${has}. Use a key that has it: herma key add`
  return decision(false, why, { missingScope: 'admin' })
}

function articled(role: Role): string {
  return `${role === 'owner' || role === 'admin' ? 'an' : 'a'} ${role}`
}

import type { Role } from '@herma/contract'

const ranks: Readonly<Record<Role, number>> = { viewer: 0, member: 1, admin: 2, owner: 3 }

/** Whether one role may do more than another. */
export function outranks(role: Role, other: Role): boolean {
  return ranks[role] > ranks[other]
}

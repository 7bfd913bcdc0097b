import type { Catalog } from '../core/catalog.ts'
import type { DescribeMember } from './member.ts'
import { readEntry } from '../core/shaped-entry.ts'

/** What composites may know of the tools that they call. */
export function describeMembers(catalog: Pick<Catalog, 'member'>): DescribeMember {
  return ({ server, tool }) => {
    const member = catalog.member(server, tool)
    return member === undefined ? undefined : readEntry(member)
  }
}

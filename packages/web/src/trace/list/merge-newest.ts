import type { EventView } from '@herma/contract'

/** The newest of two lists, newest first. `isCut` says that older ones were left out. */
export function mergeNewest(
  rows: readonly EventView[],
  events: readonly EventView[],
  limit: number,
): { rows: EventView[]; isCut: boolean } {
  const merged = [...events, ...rows].sort((one, other) => compareIds(other.id, one.id))
  return { rows: merged.slice(0, limit), isCut: merged.length > limit }
}

/** Ids are numbers that are too long for a number. */
function compareIds(one: string, other: string): number {
  if (one.length !== other.length) return one.length - other.length
  return one < other ? -1 : one > other ? 1 : 0
}

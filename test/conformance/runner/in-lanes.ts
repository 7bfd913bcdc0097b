/**
 * Works on items a few at a time, each in the first lane that is free; the results have the order of the items. After a
 * failure no item is begun any more, and it is thrown when those under way have ended.
 */
export async function inLanes<Item, Result>(
  items: readonly Item[],
  laneCount: number,
  work: (item: Item, lane: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const failures: unknown[] = []
  const rest = items.entries()
  const drive = async (lane: number) => {
    for (const [position, item] of rest) {
      try {
        results[position] = await work(item, lane)
      } catch (error) {
        failures.push(error)
      }
      if (failures.length > 0) return
    }
  }
  await Promise.all(Array.from({ length: laneCount }, (_, lane) => drive(lane)))
  if (failures.length > 0) throw failures[0]
  return results
}

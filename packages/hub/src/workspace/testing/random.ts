/** The same numbers for the same seed: https://en.wikipedia.org/wiki/Xorshift */
export function randomFrom(seed: number) {
  let state = (seed + 1) * 0x9e3779b1
  const next = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 0x1_0000_0000
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    pick: <T>(items: readonly T[]): T => items[below(items.length)]!,
    chance: (share: number) => next() < share,
  }
}

/** Round figures from zero to at least the highest value, three to six of them. */
export function findTicks(highest: number): number[] {
  if (!(highest > 0)) return [0, 1]
  const rough = highest / 4
  const magnitude = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * magnitude).find((each) => each >= rough)!
  const count = Math.ceil(highest / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}

/** Points that follow each other without a gap; steps are allowed to be a little late. */
export function splitRuns<Point extends { readonly at: number }>(points: readonly Point[], stepMs: number): Point[][] {
  const runs: Point[][] = []
  for (const point of points) {
    const last = runs.at(-1)?.at(-1)
    if (last === undefined || point.at - last.at > stepMs * 1.5) runs.push([point])
    else runs.at(-1)!.push(point)
  }
  return runs
}

import { editDistance } from '../../../platform/text/edit-distance.ts'

/** The known name that a mistyped one most likely means, or undefined when none is near. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const wanted = normalise(name)
  let best: string | undefined
  // Of a short word almost every other one is near.
  let bestDistance = (wanted.length < 4 ? 1 : Math.max(2, Math.floor(wanted.length / 3))) + 1
  for (const candidate of known) {
    const distance = editDistance(wanted, normalise(candidate))
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best
}

/** The end of a sentence that names the nearest one, or nothing. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const near = nearestName(name, known)
  return near === undefined ? '' : ` Did you mean '${near}'?`
}

// Case and joints are what people remember least: hide_tools is hideTools. Long names are not worth the time.
function normalise(name: string): string {
  return name.slice(0, 64).toLowerCase().replace(/[_-]/g, '')
}

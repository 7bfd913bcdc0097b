// Swaps a folder with a link to another one, again and again until it is ended.
// Arguments: the place, the true folder's other name, the link's other name.
import { renameSync } from 'node:fs'

const [place, folder, link] = process.argv.slice(2) as [string, string, string]
const pause = new Int32Array(new SharedArrayBuffer(4))
process.stdout.write('swapping\n')
for (let round = 0; ; round++) {
  // Now and then long enough for the other side to get through.
  if (round % 50 === 0) Atomics.wait(pause, 0, 0, 20)
  renameSync(place, folder)
  renameSync(link, place)
  renameSync(place, link)
  renameSync(folder, place)
}

// One matrix server over stdio: main.mjs <revision> <name> <journal file>
import { revisions, type Revision } from '../revision.ts'
import { serveStdio } from './serve-stdio.ts'
import { World } from './world.ts'

const [revision, name, journal] = process.argv.slice(2)
if (!revisions.includes(revision as Revision) || name === undefined || journal === undefined) {
  process.stderr.write(`Usage: main.mjs <${revisions.join('|')}> <name> <journal file>\n`)
  process.exit(2)
}
const world = new World({ revision: revision as Revision, name, journal })
world.follow()
serveStdio(world)

// A process of its own: `node --import tsx test/conformance/server.ts [--port N] [--era both|legacy|modern]`.
// It prints one JSON line with its URLs and serves until SIGTERM or SIGINT.
import { parseArgs } from 'node:util'
import { startServer, type ServedEras } from './server/start-server.ts'

const eras: readonly ServedEras[] = ['both', 'legacy', 'modern']

const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, era: { type: 'string', default: 'both' } },
})
const port = Number(values.port)
const era = eras.find((known) => known === values.era)
if (!Number.isInteger(port) || port < 0 || port > 65_535)
  fail(`--port ${values.port}: give a number from 0 (any free port) to 65535.`)
if (!era) fail(`--era ${values.era}: use one of ${eras.join(', ')}.`)

const server = await startServer({ port, era })
process.stdout.write(`${JSON.stringify({ url: server.url, tasksUrl: server.tasksUrl })}\n`)
process.once('SIGTERM', () => void server.stop())
process.once('SIGINT', () => void server.stop())

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

// The test server as a process.
//   bench-downstream.js --http 100,100,1000   one Streamable HTTP server for each number of tools; prints their URLs
//                       --era legacy          … of one era only
//                       --streams             … that answers calls by an event stream
//   bench-downstream.js --stdio 10            one stdio server
import { parseArgs } from 'node:util'
import { serveHttp } from './downstream/serve-http.ts'
import { serveStdio } from './downstream/serve-stdio.ts'

const { values } = parseArgs({
  options: {
    http: { type: 'string' },
    stdio: { type: 'string' },
    era: { type: 'string' },
    streams: { type: 'boolean', default: false },
  },
})

if (values.stdio !== undefined) {
  serveStdio(Number(values.stdio), process.stdin, process.stdout)
  process.stdin.on('end', () => process.exit(0))
} else if (values.http !== undefined) {
  const era = values.era === 'legacy' || values.era === 'modern' ? values.era : null
  const toolCounts = values.http.split(',').map(Number)
  const servers = await Promise.all(
    toolCounts.map((toolCount) => serveHttp(toolCount, { era, streams: values.streams })),
  )
  process.stdout.write(`${JSON.stringify(servers.map((server) => server.url))}\n`)
} else {
  process.stderr.write('Use --http COUNT,COUNT,… or --stdio COUNT.\n')
  process.exitCode = 2
}

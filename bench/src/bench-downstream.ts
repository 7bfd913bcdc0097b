// The test server as a process.
//   bench-downstream.js --http 100,100,1000   one Streamable HTTP server for each number of tools; prints their URLs
//   bench-downstream.js --stdio 10            one stdio server
import { serveHttp } from './downstream/serve-http.ts'
import { serveStdio } from './downstream/serve-stdio.ts'

const [mode, counts = ''] = process.argv.slice(2)
const toolCounts = counts.split(',').map(Number)

if (mode === '--stdio') {
  serveStdio(toolCounts[0] ?? 2, process.stdin, process.stdout)
  process.stdin.on('end', () => process.exit(0))
} else if (mode === '--http') {
  const servers = await Promise.all(toolCounts.map((count) => serveHttp(count)))
  process.stdout.write(`${JSON.stringify(servers.map((server) => server.url))}\n`)
} else {
  process.stderr.write('Use --http COUNT,COUNT,… or --stdio COUNT.\n')
  process.exitCode = 2
}

// For clients that reach the server by a URL. It listens on this machine only; to serve others, give `http()` an `auth`.
import { app } from './server.ts'

const running = await app.http().listen(Number(process.env['PORT'] ?? 3000))
process.stderr.write(`Serving on ${running.url.href}\n`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void running.stop())

// A process of its own: `node --conditions=herma-source --import tsx test/conformance/framework-server.ts`.
// It prints one JSON line with its URLs and serves until SIGTERM or SIGINT.
import { memoryEventLog } from '@herma/framework'
import { buildEverything } from './framework/build-everything.ts'
import { buildTasks } from './framework/build-tasks.ts'

const connections = { events: memoryEventLog() }
const everything = await buildEverything().http({ connections, sse: true }).listen()
const tasks = await buildTasks().http({ connections }).listen()
process.stdout.write(`${JSON.stringify({ url: everything.url.href, tasksUrl: tasks.url.href })}\n`)

const stop = () => void Promise.all([everything.stop(), tasks.stop()])
process.once('SIGTERM', stop)
process.once('SIGINT', stop)

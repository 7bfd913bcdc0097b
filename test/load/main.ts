// Puts load on a hub that tests do not; see --help for what it takes.
import { parseArgs } from 'node:util'
import { createTemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'
import { runSlowReaders } from './run-slow-readers.ts'

const { values } = parseArgs({
  options: {
    'slow-readers': { type: 'boolean', default: false },
    readers: { type: 'string', default: '200' },
    megabytes: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '30' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help || !values['slow-readers']) {
  process.stdout.write('npm run load -- --slow-readers [--readers 200] [--megabytes 8] [--seconds 30]\n')
  if (!values.help) process.exitCode = 2
} else {
  const home = await createTemporaryHome()
  try {
    const report = await runSlowReaders({
      folder: home.path,
      readers: Number(values.readers),
      bytes: Number(values.megabytes) * 1024 * 1024,
      seconds: Number(values.seconds),
      say: (line) => void process.stdout.write(`${line}\n`),
    })
    for (const { name, value, limit, isKept } of report)
      process.stdout.write(`${isKept ? 'ok    ' : 'FAILED'} ${name}: ${value} (at most ${limit})\n`)
    if (report.some(({ isKept }) => !isKept)) process.exitCode = 1
  } finally {
    await home.remove()
  }
}

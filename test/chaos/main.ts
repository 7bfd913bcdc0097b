// Restarts the hub under load; see --help for what it takes.
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createTemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'
import { runChaos } from './run-chaos.ts'

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '100' },
    restarts: { type: 'string', default: '10' },
    'without-python': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  process.stdout.write('npm run chaos -- [--clients 100] [--restarts 10] [--without-python]\n')
} else {
  const home = await createTemporaryHome()
  try {
    const { crowds } = await runChaos({
      folder: home.path,
      program: fileURLToPath(new URL('../../packages/hub/bin/herma.js', import.meta.url)),
      clients: Number(values.clients),
      restarts: Number(values.restarts),
      python: values['without-python'] ? [] : ['1.30.0', '2.3.0'],
      say: (line) => void process.stdout.write(`${line}\n`),
    })
    for (const { name, size, calls, failed, wrong, broken, notes } of crowds) {
      const counts = `${calls} answers checked, ${wrong} wrong, ${failed} calls repeated, ${broken} clients broken`
      process.stdout.write(`${name}: ${size} clients, ${counts}\n`)
      if (wrong + broken > 0) process.stdout.write(`  ${JSON.stringify(notes)}\n`)
    }
    if (values['without-python']) process.stdout.write('WITHOUT PYTHON, as asked for.\n')
    if (crowds.some(({ wrong, broken }) => wrong + broken > 0)) process.exitCode = 1
  } finally {
    await home.remove()
  }
}

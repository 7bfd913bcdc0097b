// Opens the embedded store, says who runs it and stops it; a failure goes to standard error.
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createLog } from '../log.ts'
import { openStore } from '../store/store.ts'

const [stateHome = ''] = process.argv.slice(2)
try {
  const store = await openStore({ stateHome, log: createLog('silent') })
  const { uid } = await stat(join(stateHome, 'postgres', 'data'))
  process.stdout.write(`${JSON.stringify({ isHealthy: await store.isHealthy(), dataOwner: uid })}\n`)
  await store.stop()
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}

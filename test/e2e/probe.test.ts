import { test } from 'vitest'
import { startTestHub, stdioConnector, serverProgram } from './start-test-hub.ts'
test('probe', async () => {
  const t0 = performance.now()
  const hub = await startTestHub()
  const t1 = performance.now()
  await hub.add(stdioConnector('a', [serverProgram('everything'), 'stdio']))
  const t2 = performance.now()
  const c = await hub.connectV1()
  await c.listTools()
  const t3 = performance.now()
  await c.close()
  const t4 = performance.now()
  await hub.stop()
  console.log({ start: t1 - t0, add: t2 - t1, list: t3 - t2, close: t4 - t3, stop: performance.now() - t4 })
})

import { expect, test } from 'vitest'
import { bundleSource } from '../../packages/hub/src/platform/testing/bundle-source.ts'
import { prepareState } from '../../packages/hub/src/platform/testing/prepare-state.ts'
import { createTemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'
import { runChaos } from '../chaos/run-chaos.ts'
import { hubProgram } from './start-hub-process.ts'

// A small one; `npm run chaos` has a hundred clients, those of Python too.
test('clients go on while the hub is killed, stopped and started again, and no answer is wrong', async () => {
  const home = await createTemporaryHome()
  await prepareState(`${home.path}/state`)
  const { crowds } = await runChaos({
    folder: home.path,
    program: bundleSource(hubProgram),
    clients: 12,
    restarts: 3,
    python: [],
  })
  expect(crowds.map(({ size, wrong, broken }) => [size, wrong, broken])).toEqual([
    [6, 0, 0],
    [6, 0, 0],
  ])
  await home.remove()
})

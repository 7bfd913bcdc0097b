import { expect, test } from 'vitest'
import { explainLicences } from './check-licences.mjs'

const lockOf = (/** @type {Record<string, object>} */ packages) => JSON.stringify({ packages: { '': {}, ...packages } })

test('what asks for our source, or says nothing, is named', () => {
  const lock = lockOf({
    'node_modules/fine': { license: 'MIT' },
    'node_modules/choice': { license: '(GPL-2.0 OR Apache-2.0)' },
    'node_modules/strict': { license: 'AGPL-3.0-only' },
    'packages/hub/node_modules/@a/both': { license: 'MIT AND GPL-3.0-only' },
    'node_modules/silent': {},
  })
  expect(explainLicences(lock)).toEqual([
    "'strict' is under AGPL-3.0-only. Take another package, or ask first.",
    "'@a/both' is under MIT AND GPL-3.0-only. Take another package, or ask first.",
    "'silent' is under no licence. Take another package, or ask first.",
  ])
})

test('packages that only our own work needs are not given on, and may have any', () => {
  const lock = lockOf({ 'node_modules/tool': { license: 'GPL-3.0-only', dev: true }, 'packages/hub': {} })
  expect(explainLicences(lock)).toEqual([])
})

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { checkFragmentFile } from './file/check-fragment-file.ts'

const examples = fileURLToPath(new URL('../../../../../examples/catalog', import.meta.url))
const folders = { configHome: '/config', stateHome: '/state', workspace: '/workspace' }
const names = readdirSync(examples).filter((name) => name.endsWith('.json'))

test.each(names)('the example %s is what the guides say of it', async (name) => {
  const { isEnabled, errors } = await checkFragmentFile(join(examples, name), folders)
  expect({ isEnabled, errors: errors.length }).toEqual(
    name === 'broken.json' ? { isEnabled: false, errors: 2 } : { isEnabled: true, errors: 0 },
  )
})

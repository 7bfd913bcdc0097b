import { type ConnectorInput, HubError } from '@herma/contract'
import { expect, test } from 'vitest'

import { importConnectors } from './import-connectors.ts'

function memory(taken: string[]) {
  const names = new Set(taken)
  return {
    add: async ({ name }: ConnectorInput, { storeSecrets }: { storeSecrets: boolean }) => {
      if (name === 'refused') throw new HubError('CONNECTOR_INVALID', 'Its URL is not valid.')
      if (name === 'away') throw new HubError('STORE_UNAVAILABLE', 'The store is away.')
      if (names.has(name)) throw new HubError('CONNECTOR_EXISTS', `'${name}' exists already.`)
      names.add(name)
      const warnings = name === 'new-one' ? ['args[0]: a warning.'] : []
      return { warnings, storedSecrets: storeSecrets ? ['A_TOKEN'] : [] }
    },
  }
}

const server = { command: 'npx' }

test('what exists is skipped, what is bad fails, and the rest is added', async () => {
  const config = { mcpServers: { old: server, refused: server, broken: {}, 'new one': server } }
  expect(await importConnectors(config, memory(['old']))).toEqual({
    added: ['new-one'],
    skipped: [{ name: 'old', reason: "'old' exists already." }],
    failed: [
      { name: 'broken', reason: 'It has neither "command" nor "url".' },
      { name: 'refused', reason: 'Its URL is not valid.' },
    ],
    remarks: [{ name: 'new-one', text: "It is called 'new-one' here." }],
    warnings: [{ name: 'new-one', text: 'args[0]: a warning.' }],
    storedSecrets: [],
  })
})

test('every server is stored with its secrets by name when that is wanted', async () => {
  const { storedSecrets } = await importConnectors({ one: server, two: server }, memory([]), { storeSecrets: true })
  expect(storedSecrets).toEqual(['A_TOKEN', 'A_TOKEN'])
})

test('a store that is away ends the import instead of failing every entry', async () => {
  await expect(importConnectors({ mcpServers: { away: server } }, memory([]))).rejects.toThrow('The store is away.')
})

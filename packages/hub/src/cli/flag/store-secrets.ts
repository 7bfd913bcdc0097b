import { findSecrets, type SecretPlaces } from '@herma/contract/plain'
import type { Command } from 'commander'

import type { Cli } from '../terminal/cli.ts'
import { count } from '../terminal/format-quantity.ts'

export function addStoreSecretsFlag(command: Command): Command {
  return command.option(
    '--store-secrets',
    'store every value that looks like a secret by name, and refer to it with {secret:NAME} in its place',
  )
}

/**
 * Whether values that look like secrets are stored by name: as the flag says, or a person who is asked. Values are named
 * by their places alone.
 */
export async function decideStoring(
  { terminal }: Cli,
  connectors: readonly SecretPlaces[],
  flag: boolean | undefined,
): Promise<boolean> {
  if (flag === true) return true
  const places = connectors.flatMap((connector) => {
    const labels = findSecrets(connector).flatMap(({ label, isSealed }) => (isSealed ? [] : label))
    return [...new Set(labels)].map((label) => `${connector.name}: ${label}`)
  })
  if (places.length === 0 || !terminal.isInteractive) return false
  for (const place of places) terminal.note(`${place} looks like a secret, and would be stored and shown in clear.`)
  const it = places.length === 1 ? 'it' : 'them'
  return terminal.confirm(`Store ${it} by name, and refer to ${it} with {secret:NAME}?`)
}

/** What was stored; empty when nothing was. */
export function describeStoring(names: readonly string[]): string {
  return names.length === 0 ? '' : `Stored ${count(names.length, 'secret')} by name: ${names.join(', ')}`
}

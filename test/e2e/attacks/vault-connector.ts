import { fileURLToPath } from 'node:url'
import type { ConnectorInput } from '@herma/contract'
import { stdioConnector } from '../start-test-hub.ts'

const program = fileURLToPath(new URL('vault-server.mjs', import.meta.url))

/** A server that has something worth stealing. Its answers say which connector it is of. */
export function vaultConnector(name: string, rest: Partial<ConnectorInput> = {}): ConnectorInput {
  return stdioConnector(name, [program, name], rest)
}

import { freePort } from '../machine/free-port.ts'
import { programPath } from '../paths.ts'
import { startGateway } from './start-gateway.ts'
import type { Target } from './target.ts'

/** The gateway that one gets from the official SDK's own parts. */
export const sdk: Target = {
  name: 'sdk',
  kind: 'reference',
  note: 'official SDK 2.4: createMcpHandler and sessionful transport in, one Client for each downstream out',
  dialects: { legacy: 'legacy', modern: 'modern' },
  refuses: () => null,
  async start(fleet) {
    const port = await freePort()
    const args = [programPath('sdk-gateway'), String(port), JSON.stringify(fleet.connectors)]
    return startGateway({ name: 'sdk', args, port, fleet, dialect: 'legacy' })
  },
}

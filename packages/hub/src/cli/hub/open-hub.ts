import { setFlagsFromString } from 'node:v8'

import type { Hub, HubOptions } from '../../hub.ts'
import { resolveHomes } from '../../platform/file/homes.ts'
import { collectWhenIdle } from '../../platform/process/idle-collector.ts'
import { claimStateHome } from '../../platform/store/claim-state-home.ts'
import type { ListenAddress } from '../flag/parse-listen.ts'

/** Starts a hub in this process, with the homes and the database that the environment names. */
export async function openHub(
  env: NodeJS.ProcessEnv,
  address: ListenAddress,
  options: Pick<HubOptions, 'log' | 'graceMs' | 'onDrain'>,
): Promise<Hub> {
  // While code is slow because it is new, calls outlive collections; V8 concludes that such objects last and makes them
  // old from the start, where they keep whole calls alive until the next full collection.
  setFlagsFromString('--no-allocation-site-pretenuring')
  // They say where things are, never what they are.
  const places = {
    databaseUrl: env['DATABASE_URL'] || undefined,
    keyFile: env['HERMA_KEY_FILE'] || undefined,
    keyCommand: env['HERMA_KEY_COMMAND'] || undefined,
    http: env['HERMA_HTTP'] === 'node' ? ('node' as const) : undefined,
  }
  const homes = resolveHomes(env)
  // The database starts on another core while this one reads the code of the hub, which other commands never load.
  const claimed = claimStateHome({ ...homes, ...places, log: options.log })
  claimed.catch(() => undefined)
  const { startHub } = await import('../../hub.ts')
  const hub = await startHub({ ...address, ...homes, ...places, ...options, claimed })
  collectWhenIdle()
  return hub
}

import type { Hub, HubOptions } from '../hub.ts'
import { resolveHomes } from '../platform/homes.ts'
import type { ListenAddress } from './parse-listen.ts'

/** Starts a hub in this process, with the homes and the database that the environment names. */
export async function openHub(
  env: NodeJS.ProcessEnv,
  address: ListenAddress,
  options: Pick<HubOptions, 'log' | 'graceMs'>,
): Promise<Hub> {
  // Loaded here, so that the other commands start without the weight of the hub.
  const { startHub } = await import('../hub.ts')
  const databaseUrl = env['DATABASE_URL']
  return startHub({ ...address, ...resolveHomes(env), ...(databaseUrl ? { databaseUrl } : {}), ...options })
}

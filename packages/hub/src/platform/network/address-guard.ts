import { lookup as lookUp } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { HubError } from '@herma/contract'
import type { buildConnector as Connectors, Dispatcher } from 'undici'
import { refuseAddress, type AddressPolicy } from './address-policy.ts'
import { Agent, buildConnector, fetchWith } from './undici.ts'

/** Keeps the hub from being led to addresses that it must not reach. */
export interface AddressGuard {
  /**
   * How undici's pools connect. The address is judged where it is used, once for each socket: a name that leads
   * somewhere else a moment later finds nothing to get past, and a request on an open socket costs nothing more.
   */
  connector(options?: { timeout?: number }): Connectors.connector
  /** Throws ADDRESS_REFUSED for an address that must not be reached. */
  check(host: string, address: string): void
  /** Resolves a name as the connector does, for those who have to know before. */
  readonly lookup: LookupFunction
  policy(): AddressPolicy
}

/** `policy` is read for each socket, so a change holds from the next one on. */
export function createAddressGuard(policy: () => AddressPolicy, lookup: LookupFunction = lookUp): AddressGuard {
  const check = (host: string, address: string) => {
    const reason = refuseAddress(host, address, policy())
    if (reason !== null) throw refused(host, address, reason)
  }
  const guardedLookup: LookupFunction = (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '')
      const addresses = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }]
      try {
        // One bad address among good ones is enough to refuse: an honest name has no use for such a mixture.
        for (const { address } of addresses) check(host, address)
      } catch (refusal) {
        return callback(refusal as Error, '')
      }
      const [first] = addresses
      if (options.all === true) callback(null, addresses)
      else callback(null, first?.address ?? '', first?.family)
    })
  }
  return {
    check,
    lookup,
    policy,
    connector: (options = {}) => {
      const connect = buildConnector({ ...options, lookup: guardedLookup })
      return (to, callback) => {
        const host = to.hostname.replace(/^\[|\]$/g, '')
        // A socket looks up names only, so an address is judged here.
        if (isIP(host) !== 0) {
          try {
            check(host, host)
          } catch (refusal) {
            callback(refusal as Error, null)
            return
          }
        }
        connect(to, callback)
      }
    },
  }
}

/** A fetch that connects through the guard, each redirect too. Its sockets are closed when it is idle. */
export function createAddressFetch(guard: AddressGuard): { fetch: typeof fetch; close(): Promise<void> } {
  const dispatcher: Dispatcher = new Agent({ connect: guard.connector({ timeout: 10_000 }), keepAliveTimeout: 1000 })
  // The types of undici and of Node say the same in different words.
  const guarded = (url: Parameters<typeof fetchWith>[0], init: Parameters<typeof fetchWith>[1]) =>
    fetchWith(url, { ...init, dispatcher })
  return { fetch: guarded as unknown as typeof fetch, close: () => dispatcher.close() }
}

function refused(host: string, address: string, reason: string): HubError {
  const what = host === address ? host : `${host} (${address})`
  return new HubError('ADDRESS_REFUSED', `${what} is ${reason}. Allow it with: herma access --reach ${host}`)
}

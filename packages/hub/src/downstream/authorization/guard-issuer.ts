import { isIP, type LookupFunction } from 'node:net'
import {
  classifyAddress,
  createAddressGuard,
  type AddressGuard,
  type AddressKind,
} from '../../platform/network/index.ts'

/**
 * The guard for the authorization server that a server names. Where private addresses may be reached, a server on the
 * public web still must not lead the hub to one: only a server at such an address may name others of the same kind.
 */
export async function guardIssuer(guard: AddressGuard, serverUrl: string): Promise<AddressGuard> {
  if (guard.policy().private === 'deny') return guard
  const kinds = await kindsOf(new URL(serverUrl).hostname.replace(/^\[|\]$/g, ''), guard.lookup)
  return createAddressGuard(() => ({ ...guard.policy(), private: kinds }), guard.lookup)
}

/** None when the server is public, or said to be so by one of its addresses. */
async function kindsOf(host: string, lookup: LookupFunction): Promise<AddressKind[]> {
  const addresses = isIP(host) === 0 ? await resolve(host, lookup) : [host]
  const kinds = addresses.map(classifyAddress)
  return kinds.includes('public') ? [] : kinds
}

function resolve(host: string, lookup: LookupFunction): Promise<string[]> {
  return new Promise((done) => {
    lookup(host, { all: true }, (error, found) => {
      // A name that leads nowhere is told by whoever connects to it.
      if (error !== null) done([])
      else done(Array.isArray(found) ? found.map(({ address }) => address) : [found])
    })
  })
}

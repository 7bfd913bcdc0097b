import { loginProof } from '@herma/contract/client'

/**
 * What a request shows besides the cookie. It is read each time: another tab may have signed in meanwhile. Without a
 * storage nobody is signed in.
 */
export function loginHeaders(): Record<string, string> {
  try {
    const proof = localStorage.getItem(loginProof.storageKey)
    return proof === null ? {} : { [loginProof.header]: proof }
  } catch {
    return {}
  }
}

import { credentialOperations } from '@herma/contract/api'
import { type Route, serve } from '../../../platform/http/index.ts'
import type { CredentialRegistry } from './credential-registry.ts'

/** Credentials of one's own, and for those who manage the hub: who has some. */
export function credentialApi(service: CredentialRegistry): Route[] {
  return serve(credentialOperations, {
    getOwnCredentials: ({ params: { name }, query, principal }) => service.get(name, principal, query.principal),
    setOwnCredentials: ({ params: { name }, body, principal }) => service.set(name, principal, body),
    removeOwnCredentials: ({ params: { name }, principal }) => service.remove(name, principal),
    listCredentialHolders: ({ params: { name }, principal }) => ({ principals: service.holders(name, principal) }),
    removeCredentialsOf: ({ params: { name, principal: whose }, principal }) => service.remove(name, principal, whose),
  })
}

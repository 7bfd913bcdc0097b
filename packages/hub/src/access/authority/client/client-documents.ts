import type { GenericEndpointContext } from '@better-auth/core'
import type { ClientDiscovery } from '@better-auth/oauth-provider'
import { HubError } from '@herma/contract'
import type { Log } from '../../../platform/log.ts'
import { ExpiringMap } from '@herma/framework/wire'
import type { AuthorityStore } from '../store.ts'
import { isDocumentUrl, parseClientDocument } from './client-document.ts'
import { DocumentRefused, fetchDocument, type FetchPublic } from './fetch-document.ts'

export interface ClientDocumentsOptions {
  readonly store: Pick<AuthorityStore, 'findClient' | 'markClientFresh' | 'countClients'>
  readonly fetchPublic: FetchPublic
  readonly log: Log
}

export const documentSource = 'client-document'

/** Clients, however they came, beyond which no new one is taken. Idle ones are swept. */
export const maxClients = 5000
const maxFetches = 10
const refusedMs = 30_000
/** How long a document that cannot be reached right now still counts. */
const staleMs = 24 * 60 * 60_000

type Client = Awaited<ReturnType<ClientDiscovery['resolve']>>

/**
 * Clients whose id is the address of a document about them. The document is kept as a client row and read again when it
 * is stale: https://datatracker.ietf.org/doc/html/draft-ietf-oauth-client-id-metadata-document-00
 */
export function createClientDocuments(options: ClientDocumentsOptions): ClientDiscovery {
  const { store, fetchPublic, log } = options
  // What was refused a moment ago is not fetched again for everybody who asks.
  const refused = new ExpiringMap<true>(1000)
  let fetches = 0

  const read = async (ctx: GenericEndpointContext, clientId: string, existing: Client): Promise<Client> => {
    if (existing === null && (await store.countClients()) >= maxClients)
      throw new HubError('OVERLOADED', `There are ${maxClients} clients, the limit.`)
    const { text, freshUntil } = await fetchDocument(clientId, fetchPublic)
    const metadata = parseClientDocument(text, clientId)
    const { registerClientMetadataDocument } = await import('@better-auth/oauth-provider/internal')
    const plugin = ctx.context.getPlugin('oauth-provider')
    const { client } = await registerClientMetadataDocument(ctx, plugin!.options, {
      metadata: metadata as Parameters<typeof registerClientMetadataDocument>[2]['metadata'],
      clientId,
      clientDiscoveryId: documentSource,
      ...(existing === null ? {} : { existingClient: existing }),
    })
    await store.markClientFresh(clientId, freshUntil)
    return client
  }

  const resolve = async (ctx: GenericEndpointContext, clientId: string, existing: Client): Promise<Client> => {
    const freshUntil = existing === null ? null : ((await store.findClient(clientId))?.freshUntil ?? null)
    if (freshUntil !== null && freshUntil.getTime() > Date.now()) return existing
    if (refused.get(clientId) === true || fetches >= maxFetches) return null
    fetches++
    try {
      return await read(ctx, clientId, existing)
    } catch (error) {
      log.info('a client metadata document was not taken', { clientId, error })
      const isAway = error instanceof DocumentRefused && error.isTemporary
      if (isAway && freshUntil !== null && freshUntil.getTime() > Date.now() - staleMs) return existing
      refused.set(clientId, true, Date.now() + refusedMs)
      return null
    } finally {
      fetches--
    }
  }

  return {
    id: documentSource,
    matches: isDocumentUrl,
    resolve,
    fetchClientMetadataResource: (input, init) =>
      fetchPublic(String(input instanceof Request ? input.url : input), {
        signal: init?.signal ?? AbortSignal.timeout(5000),
        redirect: 'manual',
        headers: { accept: 'application/json' },
      }),
    discoveryMetadata: { client_id_metadata_document_supported: true },
  }
}

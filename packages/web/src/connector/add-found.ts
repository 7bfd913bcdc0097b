import type { ConnectorDraft } from '@herma/contract'
import { api } from '../api/client.ts'
import { explain } from '../ui/explain.ts'

export interface AddOutcome {
  readonly added: readonly string[]
  readonly failed: readonly { readonly name: string; readonly reason: string }[]
}

/** Adds several connectors that were found in a text, with their secrets by name when that is wanted. One that is refused does not keep the others out. */
export async function addFound(drafts: readonly ConnectorDraft[], storeSecrets: boolean): Promise<AddOutcome> {
  const outcome = { added: [] as string[], failed: [] as { name: string; reason: string }[] }
  for (const draft of drafts) {
    try {
      const { name } = await api.addConnector({ body: draft, ...(storeSecrets && { storeSecrets: 'true' }) })
      outcome.added.push(name)
    } catch (error) {
      outcome.failed.push({ name: draft.name, reason: explain(error) })
    }
  }
  return outcome
}

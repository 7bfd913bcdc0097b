import type { SchemaAdaptation } from '@herma/contract'
import type { Descriptor } from '../../wire/index.ts'
import { diffValues } from '../pin/diff-descriptor.ts'
import { adaptedClients } from './adapted-clients.ts'
import { legalTool } from './legal-tool.ts'
import { normaliseTool } from './normalisation/normalise-tool.ts'
import type { AdaptedTool } from './output-adapter.ts'
import { plainTool } from './plain-tool.ts'

/**
 * Which clients get a tool otherwise than its server wrote it, overrides aside, and what differs. `overridden` is the
 * tool under the rules of the catalog, before anything was done for a client.
 */
export function listAdaptations(overridden: Descriptor, { status }: Pick<AdaptedTool, 'status'>): SchemaAdaptation[] {
  const legal = legalTool(overridden)
  const { strict, plain } = adaptedClients
  const all: SchemaAdaptation[] = [
    { kind: 'legal', clients: [], changes: describeChanges(overridden, legal) },
    { kind: 'output', clients: [], changes: status?.changes ?? [] },
    { kind: 'plain', clients: [...plain], changes: describeChanges(legal, plainTool(legal)) },
    { kind: 'strict', clients: [...strict], changes: normaliseTool(legal).status.changes },
  ]
  return all.filter(({ changes }) => changes.length > 0)
}

function describeChanges(before: Descriptor, after: Descriptor): SchemaAdaptation['changes'] {
  return diffValues(before, after).map((each) => {
    if (each.kind === 'removed') return { path: each.path, what: 'removed' }
    const now = JSON.stringify(each.after)
    return {
      path: each.path,
      what: each.kind === 'added' ? `added: ${now}` : `${JSON.stringify(each.before)} became ${now}`,
    }
  })
}

/** Every revision of the specification, oldest first. */
export const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const
export type Revision = (typeof revisions)[number]

export const modernRevision = '2026-07-28'

export function isModern(revision: Revision): boolean {
  return revision === modernRevision
}

/** When something entered the specification; dates sort as text. */
export const since = {
  audio: '2025-03-26',
  annotations: '2025-03-26',
  completionsCapability: '2025-03-26',
  progressMessage: '2025-03-26',
  structuredContent: '2025-06-18',
  elicitation: '2025-06-18',
  resourceLinks: '2025-06-18',
  titles: '2025-06-18',
  completionContext: '2025-06-18',
  revisionHeader: '2025-06-18',
  icons: '2025-11-25',
  urlElicitation: '2025-11-25',
  richForms: '2025-11-25',
  samplingTools: '2025-11-25',
  cacheHints: '2026-07-28',
} as const satisfies Record<string, Revision>

export function knows(revision: Revision, what: keyof typeof since): boolean {
  return revision >= since[what]
}

/** JSON-RPC batches were in one revision only. */
export const batchRevision: Revision = '2025-03-26'

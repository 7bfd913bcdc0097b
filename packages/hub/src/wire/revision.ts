/** `legacy` = initialize and connections; `modern` = stateless requests with `server/discover`. */
export type Era = 'legacy' | 'modern'

/** Newest first, so that the first one is what we offer. */
export const legacyRevisions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const
export const modernRevision = '2026-07-28'
export const revisions = [modernRevision, ...legacyRevisions] as const

const legacySet: ReadonlySet<string> = new Set(legacyRevisions)

export function isLegacyRevision(revision: unknown): revision is string {
  return typeof revision === 'string' && legacySet.has(revision)
}

/** Dates sort as text, so any revision after the last legacy one belongs to the modern era. */
export function eraOf(revision: string): Era {
  return revision > legacyRevisions[0] ? 'modern' : 'legacy'
}

/** Every protocol revision that a server of this framework speaks, newest first. */
export const versions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const

/** A protocol revision. */
export type Version = (typeof versions)[number]

/** `legacy` opens with `initialize` and keeps a connection; `modern` says everything with each request. */
export type Era = 'legacy' | 'modern'

export const modernVersion = '2026-07-28' satisfies Version

export function eraOf(version: Version): Era {
  return version === modernVersion ? 'modern' : 'legacy'
}

/** The revisions out of `served` that begin with `initialize`, in the order that the SDK offers them. */
export function legacyVersions(served: readonly Version[]): Version[] {
  return versions.filter((version) => version !== modernVersion && served.includes(version))
}

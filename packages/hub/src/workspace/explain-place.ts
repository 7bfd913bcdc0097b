import { resolve } from 'node:path'
import type { PathVerdict } from './path/explain-path.ts'
import type { PathPolicy } from './path/path-policy.ts'
import type { Workspaces } from './workspaces.ts'

interface PlaceQuestion {
  /** Where work begins; roots of the policy are relative to it. */
  readonly base: string
  readonly path: string
  /** Where a call works; absent = at the base. */
  readonly cwd?: string | undefined
}

/** What a policy says about a path to a call that works somewhere inside of it. */
export async function explainPlace(
  paths: PathPolicy,
  { base, path, cwd }: PlaceQuestion,
  explain: Workspaces['explain'],
): Promise<PathVerdict> {
  const roots = (paths.roots.length === 0 ? [base] : paths.roots).map((root) => resolve(base, root))
  const policy = { ...paths, roots }
  if (cwd === undefined) return await explain(policy, { cwd: base, path })
  const place = resolve(base, cwd)
  const verdict = await explain(policy, { cwd: base, path: place })
  return verdict.allowed
    ? await explain(policy, { cwd: place, path })
    : { ...verdict, because: `cwd: ${verdict.because}` }
}

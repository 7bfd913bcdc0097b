import { resolve } from 'node:path'
import { HubError, type PathQuestion, type Session } from '@herma/contract'
import type { PathVerdict, Workspaces } from '../workspace/index.ts'

/** What a session may do with a path, and why: for people who write its policy. */
export async function explainSessionPath(
  { name, workingDir, paths }: Session,
  { path, cwd }: PathQuestion,
  explain: Workspaces['explain'],
): Promise<PathVerdict> {
  const base = workingDir ?? paths.roots[0]
  if (base === undefined) {
    const next = `herma session edit ${name} --dir DIR`
    throw new HubError('SESSION_INVALID', `'${name}' has no working directory and no roots. Set one: ${next}`)
  }
  const roots = (paths.roots.length === 0 ? [base] : paths.roots).map((root) => resolve(base, root))
  const policy = { ...paths, roots }
  if (cwd === undefined) return await explain(policy, { cwd: base, path })
  const place = resolve(base, cwd)
  const verdict = await explain(policy, { cwd: base, path: place })
  return verdict.allowed
    ? await explain(policy, { cwd: place, path })
    : { ...verdict, because: `cwd: ${verdict.because}` }
}

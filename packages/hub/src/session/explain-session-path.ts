import { HubError, type PathQuestion, type Session } from '@herma/contract'
import { explainPlace, type PathVerdict, type Workspaces } from '../workspace/index.ts'

/** What a session may do with a path, and why: for people who write its policy. */
export async function explainSessionPath(
  { name, workingDir, paths }: Session,
  question: PathQuestion,
  explain: Workspaces['explain'],
): Promise<PathVerdict> {
  const base = workingDir ?? paths.roots[0]
  if (base === undefined) {
    const next = `herma session edit ${name} --dir DIR`
    throw new HubError('SESSION_INVALID', `'${name}' has no working directory and no roots. Set one: ${next}`)
  }
  return explainPlace(paths, { base, ...question }, explain)
}

import { locatePath } from './locate-path.ts'
import { compilePolicy, type PathPolicy } from './path-policy.ts'

/** What a policy says about one path: for the live test of people who write policies. */
export interface PathVerdict {
  readonly allowed: boolean
  /** Whether it may be written, too. */
  readonly writable: boolean
  /** Where it really leads; as it was given when it is refused, so that a test tells nothing of what is outside. */
  readonly path: string
  readonly root: string | null
  readonly because: string
}

/** `closed` are real paths of folders that no policy opens. */
export async function explainPath(
  policy: PathPolicy,
  { cwd, path, closed }: { cwd: string; path: string; closed?: readonly string[] },
): Promise<PathVerdict> {
  const rules = await compilePolicy(policy, cwd, closed)
  const read = await locatePath(rules, { cwd, path, use: 'read' })
  if ('refusal' in read) return { allowed: false, writable: false, path, root: null, because: read.refusal.because }
  const { real, root } = read.place
  const write = await locatePath(rules, { cwd, path, use: 'write' })
  const because = 'refusal' in write ? `it may be read; ${write.refusal.because}` : `it is inside of ${root}`
  return { allowed: true, writable: !('refusal' in write), path: real, root, because }
}

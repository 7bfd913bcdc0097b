import { defaultDenied } from '@herma/contract'
import { locatePath, type PathRefusal } from './locate-path.ts'
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

interface Question {
  readonly cwd: string
  readonly path: string
  /** Real paths of folders that no policy opens. */
  readonly closed?: readonly string[]
}

export async function explainPath(policy: PathPolicy, question: Question): Promise<PathVerdict> {
  const { cwd, path, closed } = question
  const rules = await compilePolicy(policy, cwd, closed)
  const read = await locatePath(rules, { cwd, path, use: 'read' })
  if ('refusal' in read) {
    const because = await nameGlob(policy, question, read.refusal)
    return { allowed: false, writable: false, path, root: null, because }
  }
  const { real, root } = read.place
  const write = await locatePath(rules, { cwd, path, use: 'write' })
  const because = 'refusal' in write ? `it may be read; ${write.refusal.because}` : `it is inside of ${root}`
  return { allowed: true, writable: !('refusal' in write), path: real, root, because }
}

/** All globs are asked at once when a call is checked; a person who writes them wants to know which one it is. */
async function nameGlob(policy: PathPolicy, question: Question, refusal: PathRefusal): Promise<string> {
  if (refusal.reason !== 'denied') return refusal.because
  for (const glob of policy.denied ?? defaultDenied) {
    const rules = await compilePolicy({ ...policy, denied: [glob] }, question.cwd)
    const found = await locatePath(rules, { ...question, use: 'read' })
    if ('refusal' in found && found.refusal.reason === 'denied') return `the denied glob '${glob}' matches it`
  }
  return refusal.because
}

import { z } from 'zod'
import { PathPolicy } from './session.ts'

/** A path to be tried against the policy of a session. */
export const PathQuestion = z.strictObject({
  path: z.string().min(1).max(4096),
  cwd: z.string().min(1).max(4096).optional().describe('Where a call would work; absent = the working directory.'),
})
export type PathQuestion = z.infer<typeof PathQuestion>

/** A path to be tried against the policy of a team. */
export const TeamPathQuestion = PathQuestion.extend({
  paths: PathPolicy.optional().describe('In place of the stored policy, to try one before it is saved.'),
  workingDir: z.string().max(4096).nullable().optional().describe('The same for the working directory.'),
})
export type TeamPathQuestion = z.infer<typeof TeamPathQuestion>

/** What a policy says about one path. */
export const PathVerdict = z.object({
  allowed: z.boolean().describe('Whether it may be read.'),
  writable: z.boolean().describe('Whether it may be written, too.'),
  path: z.string().describe('Where it really leads; as it was given when it is refused.'),
  root: z.string().nullable().describe('The allowed root that it is in.'),
  because: z.string(),
})
export type PathVerdict = z.infer<typeof PathVerdict>

import { z } from 'zod'
import type { Ability } from './session.ts'

const place = {
  cwd: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('The folder to work in: absolute, or relative to the default working directory.'),
  workspace_uri: z.string().min(1).max(8192).optional().describe('In place of cwd: the folder as a file: URI.'),
}

const timeout = z.int().min(1000).max(86_400_000).optional().describe('Lowers the time limit of the session.')

const workOptions = z
  .strictObject({
    max_steps: z.int().min(1).max(500).optional().describe('Lowers the step limit of the session.'),
    timeout_ms: timeout,
  })
  .optional()

const writeOptions = z
  .strictObject({
    max_steps: z.int().min(1).max(500).optional().describe('Lowers the step limit of the session.'),
    timeout_ms: timeout,
    dry_run: z.boolean().optional().describe('Shows the changes as a diff and writes nothing.'),
  })
  .optional()

const text = z.string().min(1).max(400_000)
const globs = z.array(z.string().min(1).max(1000)).min(1).max(100)
const paths = z.array(z.string().min(1).max(4096)).min(1).max(200)

export const CodeAdviceInput = z.strictObject({
  question: text.describe('What to find out or to advise on.'),
  path_globs: globs.optional().describe('Where in the workspace to look first.'),
  ...place,
  options: workOptions,
})
export type CodeAdviceInput = z.infer<typeof CodeAdviceInput>

export const CodeAdvice = z.object({
  advice: z.string(),
  files_read: z.array(z.string()).describe('Files that were read for it, relative to the folder.'),
})
export type CodeAdvice = z.infer<typeof CodeAdvice>

export const CodeGenerateInput = z.strictObject({
  spec: text.describe('What the code has to do.'),
  path_globs: globs.optional().describe('Only files that match one of these may be written.'),
  test_expectations: text.optional().describe('What tests of it have to show.'),
  ...place,
  options: writeOptions,
})
export type CodeGenerateInput = z.infer<typeof CodeGenerateInput>

export const TestsGenerateInput = z.strictObject({
  target: text.optional().describe('What to test, in words. Give this or paths.'),
  paths: paths.optional().describe('Files or folders to test.'),
  framework: z
    .string()
    .min(1)
    .max(40)
    .optional()
    .describe('For example vitest, pytest, go; absent = as the project has it.'),
  expectations: text.optional().describe('What the tests have to show.'),
  ...place,
  options: writeOptions,
})
export type TestsGenerateInput = z.infer<typeof TestsGenerateInput>

/** The answer of code.generate and tests.generate. */
export const CodeChanges = z.object({
  summary: z.string(),
  changes: z.array(z.object({ path: z.string(), kind: z.enum(['added', 'modified', 'removed']) })),
  diff: z.string().describe('Unified; long ones are cut, which is said in them.'),
  committed: z.boolean().describe('Whether the changes are on disk. They are all there, or none is.'),
  usage: z.object({
    input_tokens: z.number(),
    output_tokens: z.number(),
    total_tokens: z.number(),
    cost_usd: z.number().nullable().describe('Null where nobody knows the price.'),
  }),
})
export type CodeChanges = z.infer<typeof CodeChanges>

export const TestsRunInput = z.strictObject({
  paths: paths.optional().describe('Files or folders relative to the folder; absent = all tests.'),
  framework: z
    .string()
    .min(1)
    .max(40)
    .optional()
    .describe('vitest, jest, node, pytest, go, cargo, mix or maven; absent = found from the files.'),
  ...place,
  options: z.strictObject({ timeout_ms: timeout }).optional(),
})
export type TestsRunInput = z.infer<typeof TestsRunInput>

export const TestRun = z.object({
  ok: z.boolean().describe('True when tests ran and none failed.'),
  reason: z.string().nullable().describe('Why it is not ok.'),
  framework: z.string(),
  command: z.string(),
  because: z.string().describe('Why this framework.'),
  counts: z.object({ total: z.number(), passed: z.number(), failed: z.number(), skipped: z.number() }),
  failures: z.array(
    z.object({ name: z.string(), file: z.string().nullable(), line: z.number().nullable(), message: z.string() }),
  ),
  duration_ms: z.number(),
  exit_code: z.number().nullable(),
  timed_out: z.boolean(),
  output: z.string().describe('The end of what was printed.'),
  truncated: z.boolean(),
})
export type TestRun = z.infer<typeof TestRun>

export const SearchWebInput = z.strictObject({
  query: z.string().min(1).max(4000),
  depth: z
    .int()
    .min(1)
    .max(3)
    .optional()
    .describe('1 = one search (the default); 2 and 3 = the model of the session looks further and writes an answer.'),
  ...place,
  options: workOptions,
})
export type SearchWebInput = z.infer<typeof SearchWebInput>

export const WebSearch = z.object({
  answer: z.string().nullable(),
  results: z.array(z.object({ title: z.string(), url: z.string(), snippet: z.string() })),
})
export type WebSearch = z.infer<typeof WebSearch>

export const SearchCodeInput = z.strictObject({
  query: z.string().min(1).max(1000).describe('Text, or a regular expression (RE2) with is_regex.'),
  is_regex: z.boolean().optional(),
  path_globs: globs.optional().describe('Only in files that match one of these.'),
  case_sensitive: z.boolean().optional(),
  whole_word: z.boolean().optional(),
  context_lines: z.int().min(0).max(10).optional(),
  max_results: z.int().min(1).max(1000).optional().describe('Lines; 100 unless told.'),
  ...place,
})
export type SearchCodeInput = z.infer<typeof SearchCodeInput>

export const CodeSearch = z.object({
  files: z.array(
    z.object({
      path: z.string(),
      is_named: z.boolean().describe('Whether the query is in its name.'),
      matches: z.array(
        z.object({
          line: z.number(),
          column: z.number(),
          text: z.string(),
          is_definition: z.boolean(),
          before: z.array(z.string()),
          after: z.array(z.string()),
        }),
      ),
    }),
  ),
  total_matches: z.number().describe('Also those that are not shown.'),
  total_files: z.number(),
  truncated: z.boolean(),
})
export type CodeSearch = z.infer<typeof CodeSearch>

export const PlanTaskInput = z.strictObject({
  goal: text.describe('What is to be reached.'),
  constraints: z
    .union([text, z.array(text).max(100)])
    .optional()
    .describe('What has to hold on the way.'),
  ...place,
  options: workOptions,
})
export type PlanTaskInput = z.infer<typeof PlanTaskInput>

export const TaskPlan = z.object({
  summary: z.string(),
  steps: z.array(
    z.object({
      title: z.string(),
      detail: z.string(),
      role: z.string().nullable().describe('Who should do it: code, test, search, planner or another role.'),
      depends_on: z.array(z.int()).describe('Numbers of the steps that come first; the first step is 1.'),
    }),
  ),
  risks: z.array(z.string()),
})
export type TaskPlan = z.infer<typeof TaskPlan>

export const ReviewChangesInput = z.strictObject({
  diff: z
    .string()
    .min(1)
    .max(2_000_000)
    .optional()
    .describe('A unified diff. Without it, the workspace is compared with base.'),
  base: z.string().min(1).max(200).optional().describe('A commit or branch of git; HEAD unless told.'),
  focus: text.optional().describe('What to look at most.'),
  ...place,
  options: workOptions,
})
export type ReviewChangesInput = z.infer<typeof ReviewChangesInput>

export const ChangeReview = z.object({
  verdict: z.enum(['approve', 'comment', 'request_changes']),
  summary: z.string(),
  findings: z.array(
    z.object({
      severity: z.enum(['info', 'minor', 'major', 'critical']),
      path: z.string().nullable(),
      line: z.int().nullable(),
      message: z.string(),
      suggestion: z.string().nullable(),
    }),
  ),
})
export type ChangeReview = z.infer<typeof ChangeReview>

/** What goes into every ability of a session, and what comes out. */
export const abilitySchemas = {
  'code.advice': { input: CodeAdviceInput, output: CodeAdvice },
  'code.generate': { input: CodeGenerateInput, output: CodeChanges },
  'tests.generate': { input: TestsGenerateInput, output: CodeChanges },
  'tests.run': { input: TestsRunInput, output: TestRun },
  'search.web': { input: SearchWebInput, output: WebSearch },
  'search.code': { input: SearchCodeInput, output: CodeSearch },
  'plan.task': { input: PlanTaskInput, output: TaskPlan },
  'review.changes': { input: ReviewChangesInput, output: ChangeReview },
} as const satisfies Record<Ability, { input: z.ZodObject; output: z.ZodObject }>

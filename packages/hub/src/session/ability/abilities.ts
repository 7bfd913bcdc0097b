import type { Ability } from '@herma/contract'
import type { AbilityTool } from './ability-tool.ts'
import { codeAdvice } from './code/code-advice.ts'
import { codeGenerate } from './code/code-generate.ts'
import { planTask } from './plan-task.ts'
import { reviewChanges } from './code/review-changes.ts'
import { searchCode } from './search/search-code.ts'
import { searchWeb } from './search/search-web.ts'
import { testsGenerate } from './tests-generate.ts'
import { testsRun } from './tests-run.ts'

/** Everything that sessions can do for others. */
export const abilities: { readonly [Name in Ability]: AbilityTool<Name> } = {
  'code.advice': codeAdvice,
  'code.generate': codeGenerate,
  'tests.generate': testsGenerate,
  'tests.run': testsRun,
  'search.web': searchWeb,
  'search.code': searchCode,
  'plan.task': planTask,
  'review.changes': reviewChanges,
}

import { HubError, type ChangeReview } from '@herma/contract'
import { hasPlace } from '../../work/open-place.ts'
import { answerSchema, type AbilityTool } from '../ability-tool.ts'
import { adoptResult, requireStructured } from '../adopt-result.ts'
import type { Job } from '../job.ts'
import { readChanges } from './read-changes.ts'

const instructions =
  'Review changes of code as a careful colleague: wrong behaviour, missing cases, security, tests, and what others will ' +
  'not understand. Read the files around a change before you judge it. Report only what you are sure of, with the file ' +
  'and the line of its new version. Do not change anything.'

/** What fits beside the rest into the memory of most models. */
const maxDiffLength = 300_000

export const reviewChanges: AbilityTool<'review.changes'> = {
  name: 'review.changes',
  title: 'Review changes',
  description: 'Reviews a diff, or what the workspace has changed since a commit, and lists findings by severity.',
  annotations: { readOnlyHint: true, openWorldHint: true },
  async run({ diff: given, base, focus }, job) {
    if (given !== undefined && base !== undefined) {
      throw new HubError('INVALID_PARAMS', 'review.changes takes `diff` or `base`, not both.')
    }
    const diff = given ?? (await readInTurn(job, base ?? 'HEAD'))
    const shown =
      diff.length > maxDiffLength ? `${diff.slice(0, maxDiffLength)}\n(The diff goes on; this is its begin.)` : diff
    const wish = focus === undefined ? '' : `Look most at this: ${focus}\n\n`
    const work = await job.work({
      text: focus === undefined ? shown : `${focus}\n\n${shown}`,
      prompt: `${wish}Review this diff:\n\n${shown}`,
      instructions,
      needs: hasPlace(job.session, job.place) ? 'read' : 'none',
      responseSchema: answerSchema('review.changes'),
    })
    const output =
      work.toolResult === null
        ? requireStructured('review.changes', work)
        : (adoptResult('review.changes', work) ?? { verdict: 'comment', summary: work.text, findings: [] })
    return { text: renderReview(output), output, work }
  },
}

/** Programs and whole files: no more at once than the session has turns. */
async function readInTurn(job: Job, base: string): Promise<string> {
  const { session, workContext, outside } = job
  const { id, name, limits } = session
  const leave = await outside.turns.enter({
    id: `${id} changes`,
    name,
    limit: limits.maxConcurrency,
    signal: workContext.signal,
  })
  try {
    return await readChanges(job, base)
  } finally {
    leave()
  }
}

function renderReview({ verdict, summary, findings }: ChangeReview): string {
  const lines = findings.map(({ severity, path, line, message, suggestion }) => {
    const place = path === null ? '' : ` ${path}${line === null ? '' : `:${line}`}`
    return `[${severity}]${place}: ${message}${suggestion === null ? '' : `\n  Suggestion: ${suggestion}`}`
  })
  return [`${verdict}: ${summary}`, ...lines].join('\n')
}

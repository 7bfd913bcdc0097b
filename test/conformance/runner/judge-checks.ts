/** A check as the suite writes it. */
export type Check = {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  errorMessage?: string
}

export type Outcome = 'pass' | 'fail' | 'skipped' | 'cannot cross'

export type Result = {
  scenario: string
  outcome: Outcome
  passed: number
  failed: number
  /** What a person needs to know: failures first, then warnings. */
  messages: string[]
  /** Checks that were excused and pass all the same, so that their excuse has to go. */
  crossed: string[]
}

type Circumstances = {
  /** What the suite said last, for a scenario that left no checks. */
  lastLines?: string
  /** Checks that cannot pass here, for a reason that the specification gives. */
  excused?: readonly string[]
}

/** Makes one result of the checks of a scenario. No checks at all is a failure: then the scenario did not end. */
export function judgeChecks(
  scenario: string,
  checks: readonly Check[] | undefined,
  { lastLines = '', excused = [] }: Circumstances = {},
): Result {
  if (!checks) {
    const messages = [`The scenario did not end.\n${lastLines}`]
    return { scenario, outcome: 'fail', passed: 0, failed: 1, messages, crossed: [] }
  }
  const counted = checks.filter(({ id }) => !excused.includes(id))
  const of = (status: Check['status']) => counted.filter((check) => check.status === status)
  const passed = of('SUCCESS').length
  const failed = of('FAILURE').length
  const messages = [...of('FAILURE'), ...of('WARNING')].map(
    ({ status, id, errorMessage }) => `${status.toLowerCase()} ${id}: ${errorMessage ?? 'no message'}`,
  )
  const crossed = excused.filter((id) => isPassed(checks.filter((check) => check.id === id)))
  const outcome = failed > 0 ? 'fail' : excused.length > 0 ? 'cannot cross' : passed > 0 ? 'pass' : 'skipped'
  return { scenario, outcome, passed, failed, messages, crossed }
}

/** The suite may write several checks of one id, one for each case. */
function isPassed(checks: readonly Check[]): boolean {
  return checks.some(({ status }) => status === 'SUCCESS') && checks.every(({ status }) => status === 'SUCCESS')
}

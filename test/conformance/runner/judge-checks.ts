/** A check as the suite writes it. */
export type Check = {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  errorMessage?: string
}

export type Outcome = 'pass' | 'fail' | 'skipped'

export type Result = {
  scenario: string
  outcome: Outcome
  passed: number
  failed: number
  /** What a person needs to know: failures first, then warnings. */
  messages: string[]
}

/** Makes one result of the checks of a scenario. No checks at all is a failure: then the scenario did not end. */
export function judgeChecks(scenario: string, checks: readonly Check[] | undefined, lastLines = ''): Result {
  if (!checks)
    return { scenario, outcome: 'fail', passed: 0, failed: 1, messages: [`The scenario did not end.\n${lastLines}`] }
  const of = (status: Check['status']) => checks.filter((check) => check.status === status)
  const passed = of('SUCCESS').length
  const failed = of('FAILURE').length
  const outcome = failed > 0 ? 'fail' : passed > 0 ? 'pass' : 'skipped'
  const messages = [...of('FAILURE'), ...of('WARNING')].map(
    ({ status, id, errorMessage }) => `${status.toLowerCase()} ${id}: ${errorMessage ?? 'no message'}`,
  )
  return { scenario, outcome, passed, failed, messages }
}

import type { Result } from './judge-checks.ts'

const maxLines = 6

/**
 * Towards clients the suite is stricter than its checks: a warning fails a scenario, and so does a client that ends with
 * an error or not at all. Whether all of that was good is all that its exit code says.
 */
export function judgeClient(result: Result, isGood: boolean, clientErrors: string): Result {
  // What is excused fails in the suite's eyes as well.
  if (isGood || result.outcome === 'cannot cross') return result
  const messages = [...result.messages, ...pickLines(clientErrors).map((line) => `client: ${line}`)]
  if (messages.length === 0)
    messages.push('The suite calls this a failure: the client ended with an error, or too late.')
  return { ...result, outcome: 'fail', failed: Math.max(result.failed, 1), messages }
}

function pickLines(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => /\S/.test(line))
    .slice(-maxLines)
}

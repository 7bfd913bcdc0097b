import type { TestRun } from '@herma/contract'
import type { WorkContext } from '../../wire/index.ts'
import { runWorkspaceTests } from '../work/run/run-workspace-tests.ts'
import type { AbilityTool } from './ability-tool.ts'
import { adoptResult } from './adopt-result.ts'
import { renderTestRun } from '../work/test-run-view.ts'

export const testsRun: AbilityTool<'tests.run'> = {
  name: 'tests.run',
  title: 'Run tests',
  description: 'Runs the tests of a workspace and says how many passed, which failed, and why.',
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  async run({ paths, framework, options }, job) {
    const { session, workContext, outside } = job
    const timeoutMs = Math.min(session.limits.timeoutMs, options?.timeout_ms ?? session.limits.timeoutMs)
    const work = await job.work({
      text: ['Run tests', framework, ...(paths ?? [])].filter((part) => part !== undefined).join(' '),
      needs: 'read',
      async own({ workspace, signal }) {
        const wish = { paths, framework, timeoutMs, signal, onOutput: tellBeginning(workContext) }
        const run = await runWorkspaceTests(workspace, wish, outside.machine)
        return { text: renderTestRun(run), structured: run }
      },
    })
    const run =
      work.toolResult === null ? (work.structured as TestRun) : (adoptResult('tests.run', work) ?? fromWords(work.text))
    return { text: work.text, output: run, work }
  },
}

/** What a client hears while tests run; a flood would fill its stream, and its end is in the answer. */
const maxToldLength = 256 * 1024

function tellBeginning(workContext: WorkContext): (text: string) => void {
  let room = maxToldLength
  return (text) => {
    if (room <= 0) return
    room -= text.length
    workContext.partial(
      room > 0 ? text : `${text.slice(0, room + text.length)}\n(More is not told while the tests run.)\n`,
    )
  }
}

/** A tool that ran tests and answered in words: what it says is all that is known. */
function fromWords(text: string): TestRun {
  return {
    ok: true,
    reason: null,
    framework: 'unknown',
    command: '',
    because: 'a tool of another server ran the tests and reported no failure',
    counts: { total: 0, passed: 0, failed: 0, skipped: 0 },
    failures: [],
    duration_ms: 0,
    exit_code: null,
    timed_out: false,
    output: text,
    truncated: false,
  }
}

import type { ConnectorView, TestReport as Report } from '@herma/contract'
import { api } from '../../api/client.ts'
import { announce } from '../../ui/overlay/toasts.tsx'
import { TestReport, type TestFix } from '../../ui/test-report.tsx'
import type { ConnectorForm } from '../form/use-connector-form.ts'
import { SampleCall } from './sample-call.tsx'
import { suggestFix } from './suggest-fix.ts'
import type { ConnectorTest } from './use-connector-test.ts'

interface TestPanelProps {
  readonly form: ConnectorForm
  readonly test: ConnectorTest
  readonly stored: ConnectorView | null
  readonly onSignIn: () => void
}

/** Tests the connector on the page, and calls one of its tools. */
export function TestPanel({ form, test, stored, onSignIn }: TestPanelProps) {
  const { report, ranAt, error, isRunning, isStale, run } = test
  const { draft } = form
  const what = draft.transport === 'stdio' ? 'Starts the program' : 'Connects to the server'
  return (
    <TestReport
      title="Connection test"
      intro={`${what} with the values on this page, reads its tools, and closes it again. Nothing is saved.`}
      report={report}
      error={error}
      ranAt={ranAt}
      isRunning={isRunning}
      isStale={isStale}
      onRun={() => run()}
      fix={
        report === null
          ? null
          : (removal(report, stored, run) ?? toFix(form, suggestFix(report, draft, stored !== null), onSignIn))
      }
      file={`${draft.name || 'connector'}-test`}
    >
      {report !== null && report.tools.length > 0 && <SampleCall report={report} isRunning={isRunning} onCall={run} />}
    </TestReport>
  )
}

/** Offers to remove the folder that an install left half made, and tests again. */
function removal(report: Report, stored: ConnectorView | null, run: () => void): TestFix | null {
  const { brokenCache } = report
  if (brokenCache === undefined || stored === null) return null
  return {
    text: `An install was cut off and left ${brokenCache} half made, so it never starts.`,
    action: 'Remove that folder',
    onApply: () =>
      void api.removeBrokenCache({ name: stored.name, folder: brokenCache }).then(
        () => run(),
        (error: Error) => announce('The folder was not removed', error.message),
      ),
  }
}

function toFix(form: ConnectorForm, fix: ReturnType<typeof suggestFix>, onSignIn: () => void): TestFix | null {
  if (fix === null) return null
  const onApply = () => {
    if (fix.signsIn === true) return onSignIn()
    if (fix.change !== undefined) form.change(fix.change(form.draft))
    const { focus } = fix
    // The field may be one that the change brings.
    if (focus !== undefined) requestAnimationFrame(() => document.getElementById(focus)?.focus())
  }
  return { text: fix.text, action: fix.action, onApply }
}

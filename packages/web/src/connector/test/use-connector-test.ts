import { ConnectorInput, type ConnectorView, type TestReport, type TestRequest } from '@herma/contract'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { type ConnectorDraft, draftOfView } from '../form/draft/connector-draft.ts'
import { CheckedInput, toChanges, toChecked, toInput } from '../form/draft/connector-input.ts'
import type { ConnectorForm } from '../form/use-connector-form.ts'

/** Long enough for a program that is downloaded at its first start. */
const testTimeoutMs = 600_000

interface Tested {
  readonly report: TestReport
  readonly at: string
  /** What was tested. */
  readonly draft: ConnectorDraft
}

export interface ConnectorTest {
  /** The last one, also while another runs. */
  readonly report: TestReport | null
  readonly ranAt: string | null
  readonly error: Error | null
  readonly isRunning: boolean
  readonly isStale: boolean
  /** Tests what is on the page, and calls a tool when one is named. Shows what is wrong with the form instead. */
  readonly run: (request?: TestRequest) => void
}

/** Tests a connector as it is on the page, saved or not. */
export function useConnectorTest(form: ConnectorForm, stored: ConnectorView | null): ConnectorTest {
  const { draft } = form
  const [last, setLast] = useState<Tested | null>(null)
  const { mutate, error, isPending } = useMutation({
    mutationFn: async (request: TestRequest): Promise<Tested> => {
      const report = await send(draft, stored, request)
      return { report, at: new Date().toISOString(), draft }
    },
    onSuccess: setLast,
    onError: () => setLast(null),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ['connectors'] }),
  })
  return {
    report: last?.report ?? null,
    ranAt: last?.at ?? null,
    error,
    isRunning: isPending,
    isStale: last !== null && JSON.stringify(last.draft) !== JSON.stringify(draft),
    run: (request = {}) => {
      if (CheckedInput.safeParse(toChecked(withName(draft))).success) mutate(request)
      else form.submit()
    },
  }
}

function send(draft: ConnectorDraft, stored: ConnectorView | null, request: TestRequest): Promise<TestReport> {
  const options = { timeoutMs: testTimeoutMs }
  if (stored === null) {
    const connector = ConnectorInput.parse(toInput(withName(draft)))
    return api.testConnectorInput({ body: { ...request, connector } }, options)
  }
  const changes = toChanges(draft, draftOfView(stored))
  const body = Object.keys(changes).length === 0 ? request : { ...request, changes }
  return api.testConnector({ name: stored.name, body }, options)
}

/** Whether a server answers does not depend on what it will be called. */
function withName(draft: ConnectorDraft): ConnectorDraft {
  return draft.name.trim() === '' ? { ...draft, name: 'unnamed' } : draft
}

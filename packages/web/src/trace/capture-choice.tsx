import type { CaptureLevel } from '@herma/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { explain } from '../ui/explain.ts'
import { queryClient } from '../api/query-client.ts'
import { capturesQuery } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'

const levels: Readonly<Record<CaptureLevel, string>> = {
  off: 'nothing of its calls',
  calls: 'one event for each call, without what was said',
  messages: 'each message, without its content',
  bodies: 'what was said, with secrets masked',
}

/** What is recorded of a server from now on, and the button that changes it. */
export function CaptureChoice({ server, isRecorded }: { server: string; isRecorded: boolean }) {
  const { data } = useQuery(capturesQuery)
  const capture = data?.find((each) => each.server === server)
  const change = useMutation({
    mutationFn: (level: CaptureLevel) => api.changeCapture({ server, body: { level } }),
    onSuccess: () => queryClient.invalidateQueries(capturesQuery),
  })
  // A server that was removed since has nothing to choose.
  if (capture === undefined) return null
  const isOn = capture.level === 'bodies'
  return (
    <div className="grid justify-items-start gap-2 rounded-md bg-well p-3">
      <output className="text-sm text-ink-2">
        Of the server <span className="font-medium text-ink">{server}</span> the hub records {levels[capture.level]}.
        {isOn && !isRecorded && ' That begins with the next call.'}
        {capture.sample < 1 && ` Of ${Math.round(capture.sample * 100)} % of calls.`}
      </output>
      <Button size="sm" pending={change.isPending} onClick={() => change.mutate(isOn ? 'calls' : 'bodies')}>
        {isOn ? 'Stop recording messages' : 'Record messages from now on'}
      </Button>
      {change.error !== null && <p className="text-sm text-bad">{explain(change.error)}</p>}
    </div>
  )
}

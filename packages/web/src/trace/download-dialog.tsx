import type { TraceFormat } from '@herma/contract'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { AskOptions } from '../api/client.ts'
import { saveAnswer } from '../api/save-answer.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'
import { announce } from '../ui/overlay/toasts.tsx'
import { Failure } from '../ui/page/page-state.tsx'

interface DownloadDialogProps {
  readonly title: string
  readonly hint: string
  readonly load: (format: TraceFormat, options: AskOptions) => Promise<Response>
  readonly onClose: () => void
}

const formats: readonly { readonly format: TraceFormat; readonly label: string; readonly hint: string }[] = [
  { format: 'json', label: 'JSON', hint: 'Everything that is recorded. The other formats are made from it.' },
  { format: 'har', label: 'HAR', hint: 'For network viewers, and for herma traces replay.' },
  { format: 'otlp', label: 'OpenTelemetry', hint: 'Spans for tracing tools. No arguments, no results.' },
  { format: 'claude', label: 'Claude Code', hint: 'A transcript, one line per entry.' },
  { format: 'codex', label: 'Codex', hint: 'A session file, one line per entry.' },
  { format: 'gemini', label: 'Gemini', hint: 'Contents with function calls.' },
  { format: 'openai', label: 'OpenAI chat', hint: 'Messages with tool calls.' },
  { format: 'openai-responses', label: 'OpenAI Responses', hint: 'Items with function calls.' },
]

/** Saves what was recorded as a file, in a format of choice. */
export function DownloadDialog({ title, hint, load, onClose }: DownloadDialogProps) {
  const [format, setFormat] = useState<TraceFormat>('json')
  const saving = useMutation({
    mutationFn: () => load(format, { timeoutMs: 120_000 }).then((response) => saveAnswer(response, 'traces.json')),
    onSuccess: (file) => {
      announce('Downloaded', file)
      onClose()
    },
  })
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button variant="primary" pending={saving.isPending} onClick={() => saving.mutate()}>
        Download
      </Button>
    </>
  )
  return (
    <Dialog isOpen title={title} hint={hint} footer={footer} onClose={onClose}>
      <div className="grid gap-3 p-4">
        <p className="text-ink-2">Secrets are masked in every format, as they are on this page.</p>
        <fieldset className="grid gap-1">
          <legend className="sr-only">Format</legend>
          {formats.map((each) => (
            <label key={each.format} className="flex items-start gap-2.5 rounded-md px-2 py-1.5 hover:bg-well">
              <input
                type="radio"
                name="format"
                className="mt-0.5 size-4 accent-accent"
                checked={format === each.format}
                onChange={() => setFormat(each.format)}
              />
              <span>
                {each.label} <span className="block text-sm text-ink-3">{each.hint}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {saving.error !== null && <Failure title="The file could not be made." error={saving.error} />}
      </div>
    </Dialog>
  )
}

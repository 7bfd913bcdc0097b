import { CaptureLevel, CapturePatch, type CaptureView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useMay } from '../../api/me.ts'
import { capturesQuery } from '../../api/queries.ts'
import { useChange } from '../../api/use-change.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useForm } from '../../form/use-form.ts'
import { Button } from '../../ui/button.tsx'
import { describe, Field, Select } from '../../ui/form/field.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { formatBytes } from '../../ui/format.ts'
import { Row, Rows } from '../../ui/rows.tsx'
import { numberOf } from '../number-of.ts'

const levels: Record<CaptureLevel, string> = {
  off: 'Nothing is recorded',
  calls: 'One line for each call',
  messages: 'Calls and each message, without content',
  bodies: 'Calls and messages with their content, secrets masked',
}

/** What is recorded of each server. */
export function CaptureRows() {
  const { data: captures = [] } = useQuery(capturesQuery)
  const mayChange = useMay('admin')
  const [editing, setEditing] = useState<CaptureView | null>(null)
  if (captures.length === 0) return null
  return (
    <>
      <h3 className="border-t border-line px-4 pt-3 pb-1 text-sm font-medium text-ink-2">
        What is recorded of each server
      </h3>
      <Rows label="What is recorded of each server">
        {captures.map((capture) => (
          <Row
            key={capture.server}
            title={
              <Link to="/servers/$name" params={{ name: capture.server }} className="rounded-sm hover:underline">
                {capture.server}
              </Link>
            }
            detail={describeCapture(capture)}
            actions={
              mayChange && (
                <Button
                  size="sm"
                  aria-label={`Change what is recorded of ${capture.server}`}
                  onClick={() => setEditing(capture)}
                >
                  Change
                </Button>
              )
            }
          />
        ))}
      </Rows>
      {editing !== null && <EditCapture capture={editing} onClose={() => setEditing(null)} />}
    </>
  )
}

function describeCapture({ level, sample, maxBodyBytes }: CaptureView): string {
  if (level === 'off' || level === 'calls') return levels[level]
  const share = sample === 1 ? '' : `, of ${Math.round(sample * 100)} % of the requests`
  return `${levels[level]}${share}${level === 'bodies' ? `, up to ${formatBytes(maxBodyBytes)} each` : ''}`
}

function EditCapture({ capture, onClose }: { capture: CaptureView; onClose: () => void }) {
  const [initial] = useState({
    level: capture.level,
    percent: String(capture.sample * 100),
    maxBodyBytes: String(capture.maxBodyBytes),
  })
  const form = useForm({ initial, schema: CapturePatch, toInput })
  const { draft, change } = form
  const save = useChange({
    send: (body: CapturePatch) => api.changeCapture({ server: capture.server, body }),
    topics: ['settings'],
    done: () => 'It holds from the next request on.',
  })
  return (
    <FormDialog
      title={`What is recorded of ${capture.server}`}
      action="Save"
      form={form}
      save={save.mutateAsync}
      onClose={onClose}
    >
      <Field id="level" label="Record" hint={levels[draft.level]}>
        <Select
          {...describe('level')}
          value={draft.level}
          onChange={(event) => change({ level: event.target.value as CaptureLevel })}
        >
          {CaptureLevel.options.map((level) => (
            <option key={level}>{level}</option>
          ))}
        </Select>
      </Field>
      <TextField
        id="sample"
        label="Share of requests"
        hint="Percent of requests whose messages are recorded."
        form={form}
        inputMode="decimal"
        value={draft.percent}
        onText={(text) => change({ percent: text })}
      />
      <TextField
        id="maxBodyBytes"
        label="Longest content"
        hint="Bytes; of longer content the begin is recorded."
        form={form}
        inputMode="numeric"
        value={draft.maxBodyBytes}
        onText={(text) => change({ maxBodyBytes: text })}
      />
    </FormDialog>
  )
}

function toInput({ level, percent, maxBodyBytes }: { level: CaptureLevel; percent: string; maxBodyBytes: string }) {
  const share = numberOf(percent)
  return { level, sample: typeof share === 'number' ? share / 100 : share, maxBodyBytes: numberOf(maxBodyBytes) }
}

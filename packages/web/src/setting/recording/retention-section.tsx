import { TraceSettingsPatch, type TraceSettings } from '@herma/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../../api/client.ts'
import { useForm } from '../../form/use-form.ts'
import { Card } from '../../ui/card.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { formatAgo, formatBytes } from '../../ui/format.ts'
import { Loaded } from '../../ui/page/page-state.tsx'
import { Facts } from '../../ui/rows.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { numberOf } from '../number-of.ts'
import { SettingForm } from '../setting-form.tsx'
import { traceSettingsQuery, traceStatsQuery } from '../setting-queries.ts'
import { CaptureRows } from './capture-rows.tsx'

const mebibyte = 1_048_576

/** What is recorded, and for how long it is kept. */
export function RetentionSection() {
  const settings = useQuery(traceSettingsQuery)
  return (
    <Card title="Retention" hint="Whatever is reached first, age or size, deletes the oldest.">
      <Loaded query={settings} what="the retention">
        {(found) => <RetentionForm settings={found} />}
      </Loaded>
      <Figures />
      <CaptureRows />
    </Card>
  )
}

type Draft = Record<'days' | 'maxBytes' | 'auditDays' | 'auditMaxBytes', string>

const fields = [
  ['days', 'Keep calls for', 'Days.'],
  ['maxBytes', 'Calls take at most', 'MiB; 16 or more.'],
  ['auditDays', 'Keep the audit log for', 'Days.'],
  ['auditMaxBytes', 'Audit log takes at most', 'MiB; 16 or more.'],
] as const

function RetentionForm({ settings }: { settings: TraceSettings }) {
  const queries = useQueryClient()
  const saved = useMemo(() => toDraft(settings), [settings])
  const form = useForm({ initial: saved, schema: TraceSettingsPatch, toInput })
  const { draft, change } = form
  async function save(body: TraceSettingsPatch) {
    const next = await api.changeTraceSettings({ body })
    queries.setQueryData(traceSettingsQuery.queryKey, next)
    form.reset(toDraft(next))
  }
  return (
    <SettingForm id="retention" form={form} save={save} saved={saved}>
      <div className="grid grid-cols-2 gap-4 sm:grid-cols-4">
        {fields.map(([id, label, hint]) => (
          <TextField
            key={id}
            id={id}
            label={label}
            hint={hint}
            form={form}
            inputMode="numeric"
            value={draft[id]}
            onText={(text) => change({ [id]: text })}
          />
        ))}
      </div>
    </SettingForm>
  )
}

function toDraft({ days, maxBytes, auditDays, auditMaxBytes }: TraceSettings): Draft {
  return {
    days: String(days),
    maxBytes: String(maxBytes / mebibyte),
    auditDays: String(auditDays),
    auditMaxBytes: String(auditMaxBytes / mebibyte),
  }
}

function toInput({ days, maxBytes, auditDays, auditMaxBytes }: Draft): unknown {
  const bytes = (text: string) => {
    const number = numberOf(text)
    return typeof number === 'number' ? Math.round(number * mebibyte) : number
  }
  return {
    days: numberOf(days),
    maxBytes: bytes(maxBytes),
    auditDays: numberOf(auditDays),
    auditMaxBytes: bytes(auditMaxBytes),
  }
}

function Figures() {
  const { data: stats } = useQuery(traceStatsQuery)
  if (stats === undefined) return null
  const { kept, events, audit } = stats
  const problem = events.lastError ?? audit.lastError
  const figures = [
    ['Kept now', `${formatBytes(kept.bytes)} of calls, ${formatBytes(kept.auditBytes)} of audit log`],
    ['Oldest', kept.since === null ? 'nothing recorded yet' : new Date(kept.since).toLocaleString()],
    ['Since the hub started', `${events.written} written, ${events.queued} waiting, ${events.dropped} dropped`],
    ...(problem === null
      ? []
      : [
          [
            'Last problem',
            <StatusDot key="problem" tone="warn">{`${problem.message} (${formatAgo(problem.at)})`}</StatusDot>,
          ] as const,
        ]),
  ] as const
  return (
    <div className="border-t border-line">
      <Facts facts={figures} />
    </div>
  )
}

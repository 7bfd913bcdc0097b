import { TraceSettingsPatch, type TraceSettings } from '@herma/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../../api/client.ts'
import { useForm } from '../../form/use-form.ts'
import { Card } from '../../ui/card.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { formatAgo } from '../../ui/format.ts'
import { Loaded } from '../../ui/page/page-state.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { numberOf } from '../number-of.ts'
import { SettingForm } from '../setting-form.tsx'
import { traceSettingsQuery, traceStatsQuery } from '../setting-queries.ts'
import { HeaderFields, type HeaderDraft } from './header-fields.tsx'

/** Sends what is recorded to an OpenTelemetry collector. */
export function ExportSection() {
  const settings = useQuery(traceSettingsQuery)
  return (
    <Card title="Export" hint="Sends spans and figures to an OpenTelemetry collector, besides keeping them here.">
      <Loaded query={settings} what="the export">
        {(found) => <ExportForm settings={found} />}
      </Loaded>
    </Card>
  )
}

interface Draft {
  readonly isOn: boolean
  readonly endpoint: string
  /** null = those that are stored stay. */
  readonly headers: readonly HeaderDraft[] | null
  readonly metrics: boolean
  readonly seconds: string
}

const [endpoint, interval] = ['otlp.endpoint', 'otlp.intervalMs']

function ExportForm({ settings }: { settings: TraceSettings }) {
  const queries = useQueryClient()
  const saved = useMemo(() => toDraft(settings), [settings])
  const form = useForm({ initial: saved, schema: TraceSettingsPatch, toInput })
  const { draft, change, problem } = form
  async function save(body: TraceSettingsPatch) {
    const next = await api.changeTraceSettings({ body })
    queries.setQueryData(traceSettingsQuery.queryKey, next)
    form.reset(toDraft(next))
  }
  return (
    <SettingForm id="export" form={form} save={save} saved={saved}>
      <Switch checked={draft.isOn} onChange={(isOn) => change({ isOn })} label="Send to a collector" />
      {draft.isOn && (
        <>
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-[minmax(0,1fr)_10rem]">
            <TextField
              id={endpoint}
              label="Endpoint"
              hint="Base address of OTLP over HTTP."
              form={form}
              mono
              placeholder="http://localhost:4318"
              value={draft.endpoint}
              onText={(text) => change({ endpoint: text })}
            />
            <TextField
              id={interval}
              label="Every"
              hint="Seconds."
              form={form}
              inputMode="decimal"
              value={draft.seconds}
              onText={(text) => change({ seconds: text })}
            />
          </div>
          <HeaderFields
            stored={settings.otlp?.headers ?? []}
            headers={draft.headers}
            onChange={(headers) => change({ headers })}
            problem={problem}
          />
          <Switch
            checked={draft.metrics}
            onChange={(metrics) => change({ metrics })}
            label="Send figures too"
            hint="The same as under /metrics."
          />
          {settings.otlp !== null && <ExportFigures />}
        </>
      )}
    </SettingForm>
  )
}

function ExportFigures() {
  const { data } = useQuery(traceStatsQuery)
  const otlp = data?.otlp
  if (otlp === null || otlp === undefined) return null
  const { sent, dropped, queued, lastError } = otlp
  return (
    <output className="grid gap-1 text-sm">
      <StatusDot tone={dropped > 0 ? 'warn' : sent > 0 ? 'ok' : 'off'}>
        {sent} sent, {queued} waiting, {dropped} dropped since the hub started
      </StatusDot>
      {lastError !== null && (
        <StatusDot tone="bad">
          {lastError.message} ({formatAgo(lastError.at)})
        </StatusDot>
      )}
    </output>
  )
}

function toDraft({ otlp }: TraceSettings): Draft {
  return {
    isOn: otlp !== null,
    endpoint: otlp?.endpoint ?? '',
    headers: otlp === null || otlp.headers.length === 0 ? [] : null,
    metrics: otlp?.metrics ?? true,
    seconds: String((otlp?.intervalMs ?? 10_000) / 1000),
  }
}

function toInput({ isOn, endpoint: url, headers, metrics, seconds }: Draft): unknown {
  if (!isOn) return { otlp: null }
  const each = numberOf(seconds)
  const named = headers?.filter(({ name, value }) => name !== '' || value !== '')
  return {
    otlp: {
      endpoint: url.trim(),
      metrics,
      intervalMs: typeof each === 'number' ? each * 1000 : each,
      ...(named === undefined ? {} : { headers: Object.fromEntries(named.map(({ name, value }) => [name, value])) }),
    },
  }
}

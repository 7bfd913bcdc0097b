import { AccessSettingsPatch, type AccessSettings } from '@herma/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../../api/client.ts'
import { useMay } from '../../api/me.ts'
import { accessSettingsQuery } from '../../api/queries.ts'
import { useForm } from '../../form/use-form.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { describe, Field, Select } from '../../ui/form/field.tsx'
import { LinesField, toLines } from '../../ui/form/lines-field.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { formatMs } from '../../ui/format.ts'
import { Failure, Loaded } from '../../ui/page/page-state.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { numberOf } from '../number-of.ts'
import { SettingForm } from '../setting-form.tsx'
import { TunnelHelp } from './tunnel-help.tsx'

/** Who reaches the hub, and what it may reach. */
export function ReachabilitySection() {
  const settings = useQuery(accessSettingsQuery)
  return (
    <Card title="Reachability and tunnel" hint="Who can reach this hub, and what its connectors may reach.">
      <Loaded query={settings} what="how the hub is reached">
        {(found) => (
          <>
            <ReachabilityForm settings={found} />
            <ReachCheck publicUrl={found.publicUrl} />
          </>
        )}
      </Loaded>
      <TunnelHelp />
    </Card>
  )
}

function ReachabilityForm({ settings }: { settings: AccessSettings }) {
  const queries = useQueryClient()
  const saved = useMemo(() => toDraft(settings), [settings])
  const form = useForm({ initial: saved, schema: AccessSettingsPatch, toInput })
  const { draft, change, problem, touch } = form
  async function save(body: AccessSettingsPatch) {
    const next = await api.updateAccessSettings({ body })
    queries.setQueryData(accessSettingsQuery.queryKey, next)
    form.reset(toDraft(next))
  }
  const lines = (id: 'allowedHosts' | 'allowedOrigins' | 'reachable') => ({
    id,
    value: draft[id],
    onChange: (text: string) => change({ [id]: text }),
    onBlur: () => touch(id),
    problem,
    optional: true,
  })
  return (
    <SettingForm id="reachability" changedBy="owner" form={form} save={save} saved={saved}>
      <TextField
        id="publicUrl"
        label="Public URL"
        optional
        hint="Where others find this hub. With one, everybody needs a key or a sign-in. Empty: only this machine."
        form={form}
        mono
        placeholder="https://mcp.example.com"
        value={draft.publicUrl}
        onText={(text) => change({ publicUrl: text })}
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2">
        <LinesField
          {...lines('allowedHosts')}
          label="Further host names"
          hint="Other names of this hub, one on each line."
          placeholder="hub.local:4376"
        />
        <LinesField
          {...lines('allowedOrigins')}
          label="Web pages"
          hint="Origins whose pages may use the servers, one on each line."
          placeholder="https://app.example.com"
        />
      </div>
      <Switch
        checked={draft.registration}
        onChange={(registration) => change({ registration })}
        label="OAuth clients may register themselves"
        hint="A person still has to allow each client. Some clients need it."
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2">
        <Field
          id="privateAddresses"
          label="Connectors to private addresses"
          hint={privateTexts[draft.privateAddresses]}
        >
          <Select
            {...describe('privateAddresses')}
            value={draft.privateAddresses}
            onChange={(event) => change({ privateAddresses: event.target.value as Draft['privateAddresses'] })}
          >
            <option value="auto">Automatic</option>
            <option value="allow">Allowed</option>
            <option value="deny">Refused</option>
          </Select>
        </Field>
        <LinesField
          {...lines('reachable')}
          label="Always allowed"
          hint="Hosts and ranges that connectors may reach in any case."
          placeholder="10.0.0.0/8"
        />
      </div>
      <div className="grid grid-cols-2 gap-4">
        {limits.map(([key, label]) => (
          <TextField
            key={key}
            id={`limits.${key}`}
            label={label}
            hint="For everybody but the operator; empty = no limit. A key can have its own."
            form={form}
            inputMode="numeric"
            value={draft[key]}
            onText={(text) => change({ [key]: text })}
          />
        ))}
      </div>
    </SettingForm>
  )
}

const limits = [
  ['callsPerMinute', 'Calls a minute'],
  ['concurrency', 'Calls at once'],
] as const

const privateTexts: Record<AccessSettings['privateAddresses'], string> = {
  auto: 'Allowed while only this machine reaches the hub.',
  allow: 'Connectors may lead into your network.',
  deny: 'Only public addresses, and those always allowed.',
}

interface Draft {
  readonly publicUrl: string
  readonly allowedHosts: string
  readonly allowedOrigins: string
  readonly registration: boolean
  readonly privateAddresses: AccessSettings['privateAddresses']
  readonly reachable: string
  readonly callsPerMinute: string
  readonly concurrency: string
}

function toDraft(settings: AccessSettings): Draft {
  return {
    publicUrl: settings.publicUrl ?? '',
    allowedHosts: settings.allowedHosts.join('\n'),
    allowedOrigins: settings.allowedOrigins.join('\n'),
    registration: settings.registration,
    privateAddresses: settings.privateAddresses,
    reachable: settings.reachable.join('\n'),
    callsPerMinute: String(settings.limits.callsPerMinute ?? ''),
    concurrency: String(settings.limits.concurrency ?? ''),
  }
}

function toInput(draft: Draft): unknown {
  return {
    publicUrl: draft.publicUrl.trim() === '' ? null : draft.publicUrl.trim(),
    allowedHosts: toLines(draft.allowedHosts),
    allowedOrigins: toLines(draft.allowedOrigins),
    registration: draft.registration,
    privateAddresses: draft.privateAddresses,
    reachable: toLines(draft.reachable),
    limits: { callsPerMinute: numberOf(draft.callsPerMinute), concurrency: numberOf(draft.concurrency) },
  }
}

/** Whether the saved public URL really leads to this hub. */
function ReachCheck({ publicUrl }: { publicUrl: string | null }) {
  const mayCheck = useMay('admin')
  const check = useMutation({ mutationFn: () => api.checkReach() })
  if (publicUrl === null || !mayCheck) return null
  const report = check.data?.url === publicUrl ? check.data : undefined
  return (
    <div className="flex flex-wrap items-center gap-3 border-t border-line px-4 py-2.5">
      <Button size="sm" pending={check.isPending} onClick={() => check.mutate()}>
        Check the public URL
      </Button>
      <output className="min-w-0 flex-1 text-sm">
        {report === undefined ? (
          <span className="text-ink-3">Asks {publicUrl} whether it is this hub.</span>
        ) : (
          <StatusDot tone={report.ok ? 'ok' : 'bad'}>
            {report.ok ? `It leads to this hub, in ${formatMs(report.ms)}.` : `${report.cause} ${report.fix}`}
          </StatusDot>
        )}
      </output>
      {check.error !== null && <Failure title="It could not be checked." error={check.error} />}
    </div>
  )
}

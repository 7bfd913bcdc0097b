import { AccessQuestion, type Decision } from '@herma/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { api } from '../../api/client.ts'
import { keysQuery, serversQuery, toolsQuery } from '../../api/queries.ts'
import { useForm } from '../../form/use-form.ts'
import { Button } from '../../ui/button.tsx'
import { describe, Field, Select, TextArea } from '../../ui/form/field.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { Failure } from '../../ui/page/page-state.tsx'
import { StatusDot, type Tone } from '../../ui/status-dot.tsx'
import { usersQuery } from '../setting-queries.ts'

const initial = {
  principal: 'operator',
  server: 'facade',
  method: 'tools/call',
  target: '',
  arguments: '',
  loopback: true,
}
const methods = ['tools/call', 'tools/list', 'resources/read', 'prompts/get']

/** Who may do what, and why: every step of the decision. */
export function ExplainAccess() {
  const form = useForm({ initial, schema: AccessQuestion, toInput })
  const { draft, change, problem } = form
  const { data: users = [] } = useQuery(usersQuery)
  const { data: keys = [] } = useQuery(keysQuery)
  const { data: servers = [] } = useQuery(serversQuery)
  const { data: tools = [] } = useQuery(toolsQuery)
  const asking = useMutation({
    mutationFn: (body: AccessQuestion) => api.explainAccess({ body }),
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    const question = form.submit()
    if (question !== null) asking.mutate(question)
  }
  const principals = ['operator', ...users.map(({ name }) => `user:${name}`), ...keys.map(({ name }) => `key:${name}`)]
  return (
    <form noValidate onSubmit={submit} className="grid grid-cols-[minmax(0,1fr)] gap-3 border-t border-line p-4">
      <h3 className="text-sm font-medium text-ink-2">Who may do what, and why</h3>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 sm:grid-cols-2 xl:grid-cols-4">
        <Choice id="principal" label="Who" value={draft.principal} options={principals} onChange={change} />
        <Choice
          id="server"
          label="Server"
          value={draft.server}
          options={servers.map(({ name }) => name)}
          onChange={change}
        />
        <Choice id="method" label="Does" value={draft.method} options={methods} onChange={change} />
        <TextField
          id="target"
          label="Tool, prompt or address"
          form={form}
          mono
          list="explain-tools"
          value={draft.target}
          onText={(text) => change({ target: text })}
        />
        <datalist id="explain-tools">
          {tools.slice(0, 200).map(({ name, originalName }) => (
            <option key={name ?? originalName}>{name ?? originalName}</option>
          ))}
        </datalist>
      </div>
      <details className="text-sm">
        <summary className="text-ink-2">Arguments and place</summary>
        <div className="mt-2 grid grid-cols-[minmax(0,1fr)] gap-3 sm:grid-cols-2">
          <Field id="arguments" label="Arguments" optional hint="As JSON." error={problem('arguments')}>
            <TextArea
              {...describe('arguments', problem('arguments'))}
              mono
              rows={2}
              value={draft.arguments}
              onChange={(event) => change({ arguments: event.target.value })}
            />
          </Field>
          <Switch
            checked={draft.loopback}
            onChange={(loopback) => change({ loopback })}
            label="From this machine"
            hint="Off: as if the request came over the network."
          />
        </div>
      </details>
      <Button type="submit" pending={asking.isPending} className="justify-self-start">
        Explain
      </Button>
      {asking.error !== null && <Failure title="It could not be explained." error={asking.error} />}
      {asking.data !== undefined && <Answer decision={asking.data} />}
    </form>
  )
}

const tones: Record<Decision['trail'][number]['outcome'], Tone> = {
  allows: 'ok',
  denies: 'bad',
  failed: 'warn',
  silent: 'off',
  disabled: 'off',
}

function Answer({ decision: { allowed, why, trail } }: { decision: Decision }) {
  return (
    <output className="grid grid-cols-[minmax(0,1fr)] gap-2 rounded-md bg-well p-3">
      <StatusDot tone={allowed ? 'ok' : 'bad'}>
        <span className="font-medium">{allowed ? 'Allowed.' : 'Refused.'}</span> {why}
      </StatusDot>
      <ol className="grid gap-1 text-sm">
        {trail.map(({ step, outcome, note, values }) => (
          <li key={step}>
            <StatusDot tone={tones[outcome]}>
              {step}: {outcome}. {note}
              {Object.entries(values).map(([name, value]) => (
                <code key={name} className="ml-2 font-mono text-xs">
                  {name} = {value}
                </code>
              ))}
            </StatusDot>
          </li>
        ))}
      </ol>
    </output>
  )
}

interface ChoiceProps {
  readonly id: 'principal' | 'server' | 'method'
  readonly label: string
  readonly value: string
  readonly options: readonly string[]
  readonly onChange: (part: Partial<typeof initial>) => void
}

function Choice({ id, label, value, options, onChange }: ChoiceProps) {
  return (
    <Field id={id} label={label}>
      <Select {...describe(id)} value={value} onChange={(event) => onChange({ [id]: event.target.value })}>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </Select>
    </Field>
  )
}

function toInput({ arguments: text, ...rest }: typeof initial): unknown {
  if (text.trim() === '') return rest
  try {
    return { ...rest, arguments: JSON.parse(text) as unknown }
  } catch {
    // The schema then says what it expected.
    return { ...rest, arguments: text }
  }
}

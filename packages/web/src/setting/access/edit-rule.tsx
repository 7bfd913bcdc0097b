import { AccessRuleInput, type AccessRuleView, type PolicyTrialReport } from '@herma/contract'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useForm } from '../../form/use-form.ts'
import { Button } from '../../ui/button.tsx'
import { describe, Field, Select, TextArea } from '../../ui/form/field.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { count, formatTime } from '../../ui/format.ts'
import { Failure } from '../../ui/page/page-state.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'

const examples = [
  ['Everything that writes', '!annotations.readOnlyHint'],
  ['One connector', 'tool.startsWith("github__")'],
  ['Keys only', 'principal.kind == "key"'],
] as const

interface EditRuleProps {
  /** null = a new one. */
  readonly rule: AccessRuleView | null
  readonly others: readonly AccessRuleView[]
  readonly onClose: () => void
}

/** A rule, which can be tried on calls that were recorded before it holds. */
export function EditRule({ rule, others, onClose }: EditRuleProps) {
  const [initial] = useState<Draft>({
    effect: rule?.effect ?? 'deny',
    description: rule?.description ?? '',
    when: rule?.when ?? '',
    enabled: rule?.enabled ?? true,
  })
  const form = useForm({ initial, schema: AccessRuleInput, toInput: (draft: Draft) => draft })
  const { draft, change, problem, touch } = form
  const save = useChange({
    send: (body: AccessRuleInput) =>
      rule === null ? api.addAccessRule({ body }) : api.updateAccessRule({ id: rule.id, body }),
    topics: ['access'],
    done: () => 'The rule holds from the next call on.',
  })
  const trial = useMutation({
    mutationFn: (input: AccessRuleInput) => api.dryRunAccess({ body: { rules: withRule(others, rule, input) } }),
  })
  return (
    <FormDialog
      title={rule === null ? 'Add rule' : 'Edit rule'}
      action="Save rule"
      shape="drawer"
      form={form}
      save={save.mutateAsync}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-[10rem_minmax(0,1fr)]">
        <Field id="effect" label="Effect">
          <Select
            {...describe('effect')}
            value={draft.effect}
            onChange={(event) => change({ effect: event.target.value as Draft['effect'] })}
          >
            <option value="deny">Deny</option>
            <option value="allow">Allow</option>
          </Select>
        </Field>
        <TextField
          id="description"
          label="Reason"
          optional
          hint="Said to whoever is refused."
          form={form}
          value={draft.description}
          onText={(text) => change({ description: text })}
        />
      </div>
      <Field
        id="when"
        label="When"
        hint="A condition in CEL over principal, server, method, tool, arguments and annotations."
        error={problem('when')}
      >
        <TextArea
          {...describe('when', problem('when'))}
          mono
          rows={3}
          placeholder='tool.startsWith("github__") && !annotations.readOnlyHint'
          value={draft.when}
          onChange={(event) => change({ when: event.target.value })}
          onBlur={() => draft.when !== '' && touch('when')}
        />
      </Field>
      <div className="flex flex-wrap items-center gap-2 text-sm text-ink-2">
        Examples:
        {examples.map(([label, when]) => (
          <Button key={label} size="sm" onClick={() => change({ when })}>
            {label}
          </Button>
        ))}
      </div>
      <Switch checked={draft.enabled} onChange={(enabled) => change({ enabled })} label="It holds" />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 border-t border-line pt-4">
        <div className="flex flex-wrap items-center gap-3">
          <Button
            pending={trial.isPending}
            onClick={() => {
              const input = form.submit()
              if (input !== null) trial.mutate(input)
            }}
          >
            Try it on recorded calls
          </Button>
          <span className="text-sm text-ink-3">Nothing is stored or called.</span>
        </div>
        {trial.error !== null && <Failure title="It could not be tried." error={trial.error} />}
        {trial.data !== undefined && <TrialReport report={trial.data} />}
      </div>
    </FormDialog>
  )
}

interface Draft {
  readonly effect: 'allow' | 'deny'
  readonly description: string
  readonly when: string
  readonly enabled: boolean
}

/** All rules as they would be with this one. */
function withRule(others: readonly AccessRuleView[], rule: AccessRuleView | null, input: AccessRuleInput) {
  const bare = ({ effect, description, when, enabled }: AccessRuleView): AccessRuleInput => ({
    effect,
    description,
    when,
    enabled,
  })
  if (rule === null) return [...others.map(bare), input]
  return others.map((other) => (other.id === rule.id ? input : bare(other)))
}

/** Which recorded calls would have ended otherwise. */
function TrialReport({ report }: { report: PolicyTrialReport }) {
  const { calls, newlyRefused, newlyAllowed, undecided, unknown, changes } = report
  return (
    <output className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <p>
        Of {count(calls, 'recorded call')}, {newlyRefused} would be refused and {newlyAllowed} would be allowed that
        ended otherwise.
      </p>
      {undecided > 0 && (
        <p className="text-sm text-ink-2">
          {count(undecided, 'call')} cannot be judged: arguments were not recorded. Raise what is recorded under
          Retention.
        </p>
      )}
      {unknown > 0 && <p className="text-sm text-ink-2">{count(unknown, 'call')} came from somebody who is gone.</p>}
      {changes.length > 0 && (
        <ul
          className="max-h-72 divide-y divide-line overflow-y-auto rounded-md border border-line"
          aria-label="Calls that change"
        >
          {changes.map(({ at, traceId, principal, server, target, after }, index) => (
            <li key={index} className="grid gap-0.5 px-3 py-2 text-sm">
              <StatusDot tone={after.allowed ? 'ok' : 'bad'}>
                <span className="font-mono">{target}</span> by {principal} on {server}
              </StatusDot>
              <span className="text-ink-3">
                {formatTime(at)} · {after.why}{' '}
                {traceId !== null && (
                  <Link to="/traces" search={{ trace: traceId }} className="underline">
                    Trace
                  </Link>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </output>
  )
}

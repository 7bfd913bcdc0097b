import { ApiKeyInput, Scope, type NewApiKey, type Role } from '@herma/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { api } from '../../api/client.ts'
import { serversQuery } from '../../api/queries.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useForm } from '../../form/use-form.ts'
import { Check } from '../../ui/form/check.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { numberOf } from '../number-of.ts'
import { RoleField } from './role-field.tsx'

const empty = {
  name: '',
  role: 'member' as Role,
  scopes: ['mcp'] as Scope[],
  servers: null as string[] | null,
  expires: '',
  callsPerMinute: '',
  concurrency: '',
}

const toInput = (draft: typeof empty) => ({
  name: draft.name.trim(),
  role: draft.role,
  scopes: draft.scopes,
  servers: draft.servers,
  // A day ends where the person is, not where the hub is.
  expiresAt: draft.expires === '' ? null : new Date(`${draft.expires}T23:59:59`).toISOString(),
  limits:
    draft.callsPerMinute === '' && draft.concurrency === ''
      ? null
      : { callsPerMinute: numberOf(draft.callsPerMinute), concurrency: numberOf(draft.concurrency) },
})

const scopeTexts: Record<Scope, string> = {
  mcp: 'Use servers: list, read and call',
  'mcp:read': 'List and read only',
  admin: 'Manage the hub, as far as its role may',
}

interface AddKeyProps {
  readonly onClose: () => void
  readonly onMade: (key: NewApiKey) => void
}

export function AddKey({ onClose, onMade }: AddKeyProps) {
  const { data: servers = [] } = useQuery(serversQuery)
  const queries = useQueryClient()
  const made = useRef<NewApiKey>(null)
  const form = useForm({ initial: empty, schema: ApiKeyInput, toInput })
  const { draft, change, problem } = form
  const toggle = <T extends string>(list: readonly T[], item: T) =>
    list.includes(item) ? list.filter((each) => each !== item) : [...list, item]
  return (
    <FormDialog
      title="Add API key"
      action="Make key"
      form={form}
      save={async (body) => {
        made.current = await api.addKey({ body })
        await queries.invalidateQueries({ queryKey: ['access'] })
      }}
      onClose={() => (made.current === null ? onClose() : onMade(made.current))}
    >
      <TextField
        id="name"
        label="Name"
        hint="For example the program that will have it."
        form={form}
        mono
        value={draft.name}
        onText={(text) => change({ name: text })}
      />
      <RoleField id="role" value={draft.role} onChange={(role) => change({ role })} />
      <fieldset id="scopes" tabIndex={-1} className="grid gap-1">
        <legend className="mb-1 text-sm font-medium">What it may do</legend>
        {Scope.options.map((scope) => (
          <Check
            key={scope}
            checked={draft.scopes.includes(scope)}
            onChange={() => change({ scopes: toggle(draft.scopes, scope) })}
            label={scopeTexts[scope]}
          />
        ))}
        {problem('scopes') && <p className="text-sm text-bad">Choose at least one.</p>}
      </fieldset>
      <fieldset className="grid gap-1">
        <legend className="mb-1 text-sm font-medium">Servers</legend>
        <Check
          checked={draft.servers === null}
          onChange={(all) => change({ servers: all ? null : [] })}
          label="All, also those that are added later"
        />
        {draft.servers !== null &&
          servers.map(({ name, kind }) => (
            <Check
              key={name}
              checked={draft.servers!.includes(name)}
              onChange={() => change({ servers: toggle(draft.servers!, name) })}
              label={`${name} (${kind})`}
            />
          ))}
      </fieldset>
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField
          id="expiresAt"
          label="Last day"
          optional
          form={form}
          type="date"
          value={draft.expires}
          onText={(text) => change({ expires: text })}
        />
        <TextField
          id="limits.callsPerMinute"
          label="Calls a minute"
          optional
          form={form}
          inputMode="numeric"
          value={draft.callsPerMinute}
          onText={(text) => change({ callsPerMinute: text })}
        />
        <TextField
          id="limits.concurrency"
          label="Calls at once"
          optional
          form={form}
          inputMode="numeric"
          value={draft.concurrency}
          onText={(text) => change({ concurrency: text })}
        />
      </div>
    </FormDialog>
  )
}

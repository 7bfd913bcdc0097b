import type { ProviderKind } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { sessionsQuery } from '../../../api/queries.ts'
import { describe, Field, Select } from '../../../ui/form/field.tsx'
import { providerKinds } from '../../provider-kinds.ts'
import { CommandFields } from './command-fields.tsx'
import type { FormPart } from './form-part.ts'
import { KeyField } from './key-field.tsx'
import { TextField } from './text-field.tsx'

const baseUrlHints: Partial<Record<ProviderKind, string>> = {
  'openai-compatible': 'Of Ollama on this machine: http://127.0.0.1:11434/v1',
}

/** Who thinks: the provider, and the fields that this one needs. */
export function ProviderFields({ form }: FormPart) {
  const { draft, change } = form
  const { hint, has } = providerKinds[draft.provider]
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Field id="provider" label="Provider" hint={hint} error={form.problem('provider')}>
        <div className="max-w-80">
          <Select
            {...describe('provider', form.problem('provider'))}
            value={draft.provider}
            onChange={(event) => change({ provider: event.target.value as ProviderKind })}
          >
            {Object.entries(providerKinds).map(([kind, { label }]) => (
              <option key={kind} value={kind}>
                {label}
              </option>
            ))}
          </Select>
        </div>
      </Field>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 empty:hidden sm:grid-cols-2">
        {has.has('model') && <ModelField form={form} />}
        {has.has('baseUrl') && (
          <TextField
            form={form}
            id="baseUrl"
            mono
            label="Address"
            optional={draft.provider !== 'openai-compatible'}
            hint={baseUrlHints[draft.provider] ?? 'Only for a proxy of yours; empty = the provider itself.'}
            value={draft.baseUrl}
            onChange={(baseUrl) => change({ baseUrl })}
          />
        )}
      </div>
      {has.has('key') && <KeyField form={form} />}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 empty:hidden sm:grid-cols-2">
        {has.has('temperature') && (
          <TextField
            form={form}
            id="temperature"
            label="Temperature"
            optional
            isNarrow
            inputMode="decimal"
            className="tnum"
            hint="0 = always the likeliest word, 2 = the wildest. Empty = what the model does by itself."
            error="Write a number from 0 to 2, or nothing."
            value={draft.temperature}
            onChange={(temperature) => change({ temperature })}
          />
        )}
        {draft.provider === 'openai' && (
          <Field id="api" label="API" hint="Responses is the newer one. Proxies often speak only Chat Completions.">
            <Select
              {...describe('api')}
              value={draft.api}
              onChange={(event) => change({ api: event.target.value as typeof draft.api })}
            >
              <option value="responses">Responses</option>
              <option value="chat">Chat Completions</option>
            </Select>
          </Field>
        )}
      </div>
      {draft.provider === 'command' && <CommandFields form={form} />}
    </div>
  )
}

/** Suggests the models that other sessions of this provider use; there is no other list to rely on. */
function ModelField({ form }: FormPart) {
  const { draft, change } = form
  const list = useId()
  const sessions = useQuery(sessionsQuery).data ?? []
  const known = sessions.flatMap(({ provider, model }) => (provider === draft.provider && model ? [model] : []))
  return (
    <div>
      <TextField
        form={form}
        id="model"
        mono
        label="Model"
        list={list}
        placeholder={providerKinds[draft.provider].model}
        optional={draft.provider === 'command'}
        hint={
          draft.provider === 'command'
            ? 'As the program calls it; empty = what it uses by itself.'
            : 'By its name at the provider. The test tells whether it answers.'
        }
        value={draft.model}
        onChange={(model) => change({ model })}
      />
      <datalist id={list}>
        {[...new Set(known)].map((model) => (
          <option key={model}>{model}</option>
        ))}
      </datalist>
    </div>
  )
}

import { Ability } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { connectorsQuery, toolsQuery } from '../../../api/queries.ts'
import { Check } from '../../../ui/form/check.tsx'
import { describe, Field, Select, TextArea } from '../../../ui/form/field.tsx'
import { Chips } from '../../../ui/list-editor/chips.tsx'
import type { FormPart } from './form-part.ts'
import type { RouteDraft } from './session-draft.ts'
import { TextField } from './text-field.tsx'

interface RouteRuleFieldsProps extends FormPart {
  readonly index: number
  readonly rule: RouteDraft
  readonly onChange: (rule: RouteDraft) => void
}

const kinds = ['chat', ...Ability.options] as const

/** Of which work a rule speaks, and who does it. */
export function RouteRuleFields({ form, index, rule, onChange }: RouteRuleFieldsProps) {
  const path = `routes.${index}`
  const change = (part: Partial<RouteDraft>) => onChange({ ...rule, ...part })
  const toggle = (kind: (typeof kinds)[number], isOn: boolean) =>
    change({ abilities: kinds.filter((each) => (each === kind ? isOn : rule.abilities.includes(each))) })
  return (
    <>
      <fieldset>
        <legend className="mb-1 text-sm font-medium">For</legend>
        <div className="flex flex-wrap gap-x-4 gap-y-1">
          {kinds.map((kind, place) => (
            <Check
              key={kind}
              {...(place === 0 && { id: `${path}.abilities` })}
              checked={rule.abilities.includes(kind)}
              onChange={(isOn) => toggle(kind, isOn)}
              label={<span className="font-mono text-sm">{kind}</span>}
            />
          ))}
        </div>
        {form.problem(`${path}.abilities`) !== undefined && (
          <p className="text-sm text-bad">Choose at least one kind of work.</p>
        )}
      </fieldset>
      <Field id={`${path}.contains`} label="When it mentions" optional hint="One of these words. None = always.">
        <Chips
          id={`${path}.contains`}
          noun="word"
          isOrdered={false}
          values={rule.contains}
          onChange={(contains) => change({ contains })}
          describedBy={`${path}.contains-hint`}
          problem={form.problem}
        />
      </Field>
      <Field id={`${path}.use-kind`} label="It goes to">
        <div className="max-w-80">
          <Select
            id={`${path}.use-kind`}
            value={rule.isTool ? 'tool' : 'model'}
            onChange={(event) => change({ isTool: event.target.value === 'tool' })}
          >
            <option value="tool">A tool of a connector</option>
            <option value="model">The model of the session</option>
          </Select>
        </div>
      </Field>
      {rule.isTool && <ToolPlace form={form} index={index} rule={rule} onChange={onChange} />}
    </>
  )
}

function ToolPlace({ form, index, rule, onChange }: RouteRuleFieldsProps) {
  const list = useId()
  const path = `routes.${index}.use`
  const connectors = useQuery(connectorsQuery).data ?? []
  const tools = useQuery(toolsQuery).data ?? []
  const change = (part: Partial<RouteDraft>) => onChange({ ...rule, ...part })
  // A use has two forms, and the schema does not always know which of them was meant.
  const isWrong = ['', '.connector', '.tool', '.arguments'].some((part) => form.problem(path + part) !== undefined)
  const problems = {
    connector: isWrong && rule.connector === '' ? 'Choose a connector.' : undefined,
    arguments: isWrong && !isJsonObject(rule.arguments) ? 'This is not a JSON object.' : undefined,
  }
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 sm:grid-cols-2">
        <Field
          id={`${path}.connector`}
          label="Connector"
          hint="It has to be attached to this session."
          error={problems.connector}
        >
          <Select
            {...describe(`${path}.connector`, problems.connector)}
            value={rule.connector}
            onChange={(event) => change({ connector: event.target.value })}
          >
            <option value="">Choose…</option>
            {[...new Set([...connectors.map(({ name }) => name), rule.connector])].filter(Boolean).map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
        <div>
          <TextField
            form={form}
            id={`${path}.tool`}
            mono
            label="Tool"
            list={list}
            hint="By its name at the server."
            error="Name a tool of it."
            value={rule.tool}
            onChange={(tool) => change({ tool })}
          />
          <datalist id={list}>
            {tools
              .filter(({ connector }) => connector === rule.connector)
              .map(({ originalName }) => (
                <option key={originalName}>{originalName}</option>
              ))}
          </datalist>
        </div>
      </div>
      <Field
        id={`${path}.arguments`}
        label="Arguments"
        hint="JSON. {input} is the request as one text, {FIELD} a field of it."
        error={problems.arguments}
      >
        <TextArea
          {...describe(`${path}.arguments`, problems.arguments)}
          mono
          rows={4}
          value={rule.arguments}
          onChange={(event) => change({ arguments: event.target.value })}
        />
      </Field>
    </>
  )
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text.trim() || '{}')
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    // Somebody is still writing it.
    return false
  }
}

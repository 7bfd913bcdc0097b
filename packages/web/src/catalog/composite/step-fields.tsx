import { describe, Field, Input, Select } from '../../ui/form/field.tsx'
import type { CompositePart } from './composite-basics.tsx'
import { objectOf, readTemplate, showTemplate, textOf, withPart, type Definition } from './composite-draft.ts'
import { ConditionFields } from './condition-fields.tsx'
import { ToolInput, useToolArguments } from './tool-input.tsx'

interface StepFieldsProps {
  readonly path: string
  readonly step: Definition
  readonly form: CompositePart['form']
  readonly onChange: (step: Definition) => void
}

/** One step of a pipeline: the tool, its arguments, and when it runs. */
export function StepFields({ path, step, form, onChange }: StepFieldsProps) {
  const set = (part: Definition) => onChange(withPart(step, part))
  const reference = { server: textOf(step['server']) || undefined, tool: textOf(step['tool']) }
  const id = form.problem(`${path}.id`)
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 sm:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
        <Field id={`${path}.id`} label="Id" error={id}>
          <Input
            {...describe(`${path}.id`, id)}
            mono
            value={textOf(step['id'])}
            onChange={(event) => set({ id: event.target.value })}
            onBlur={() => form.touch(`${path}.id`)}
          />
        </Field>
        <ToolInput
          id={`${path}.tool`}
          value={reference}
          error={form.problem(`${path}.tool`)}
          onChange={(next) => set({ server: next.server, tool: next.tool })}
        />
      </div>
      <Values
        path={`${path}.arguments`}
        tool={reference}
        values={objectOf(step['arguments'])}
        problem={form.problem}
        onChange={(values) => set({ arguments: values })}
      />
      <details className="text-sm" open={step['when'] !== undefined || step['forEach'] !== undefined}>
        <summary className="text-ink-2">When it runs, and what if it fails</summary>
        <div className="mt-3 grid grid-cols-[minmax(0,1fr)] gap-3 sm:grid-cols-2">
          <ConditionFields path={`${path}.when`} condition={step['when']} onChange={(when) => set({ when })} />
          <Field id={`${path}.forEach`} label="Once for each of" optional hint="A list; {{ item }} is each of it.">
            <Input
              {...describe(`${path}.forEach`)}
              mono
              placeholder="{{ input.names }}"
              value={showTemplate(step['forEach'])}
              onChange={(event) =>
                set({ forEach: event.target.value === '' ? undefined : readTemplate(event.target.value) })
              }
            />
          </Field>
          <Field id={`${path}.onError`} label="If it fails">
            <Select
              {...describe(`${path}.onError`)}
              value={textOf(step['onError']) || 'fail'}
              onChange={(event) => set({ onError: event.target.value })}
            >
              <option value="fail">The whole fails</option>
              <option value="continue">Go on</option>
            </Select>
          </Field>
        </div>
      </details>
    </>
  )
}

interface ValuesProps {
  readonly path: string
  readonly tool: { readonly server: string | undefined; readonly tool: string }
  readonly values: Definition
  readonly problem: (path: string) => string | undefined
  readonly onChange: (values: Definition) => void
}

/** A value for each argument that the tool takes, and for those that were given besides. */
function Values({ path, tool, values, problem, onChange }: ValuesProps) {
  const known = useToolArguments(tool)
  const others = Object.keys(values).filter((name) => !known.some((each) => each.name === name))
  const all = [...known, ...others.map((name) => ({ name, isRequired: false }))]
  if (all.length === 0) return null
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 sm:grid-cols-2">
      {all.map(({ name, isRequired }) => {
        const id = `${path}.${name}`
        const error = problem(id)
        return (
          <Field
            key={name}
            id={id}
            label={<span className="font-mono">{name}</span>}
            optional={!isRequired}
            error={error}
          >
            <Input
              {...describe(id, error)}
              mono
              placeholder={`{{ input.${name} }}`}
              value={showTemplate(values[name])}
              onChange={(event) =>
                onChange(
                  withPart(values, {
                    [name]: event.target.value === '' ? undefined : readTemplate(event.target.value),
                  }),
                )
              }
            />
          </Field>
        )
      })}
    </div>
  )
}

import { Field, Input, Select, describe } from '../../ui/form/field.tsx'
import { objectOf, readTemplate, showTemplate, type Definition } from './composite-draft.ts'

interface ConditionFieldsProps {
  readonly path: string
  readonly condition: unknown
  readonly onChange: (condition: Definition | undefined) => void
}

const tests = {
  given: 'is there',
  equals: 'is',
  notEquals: 'is not',
  contains: 'contains',
  above: 'is above',
  below: 'is below',
} as const
type Test = keyof typeof tests

/** A condition of one comparison; those that are joined are edited as JSON. */
export function ConditionFields({ path, condition, onChange }: ConditionFieldsProps) {
  const given = objectOf(condition)
  if (['all', 'any', 'not', 'exists'].some((key) => key in given))
    return (
      <Field id={path} label="Only when">
        <code id={path} className="font-mono text-sm [overflow-wrap:anywhere]">
          {JSON.stringify(condition)}
        </code>
      </Field>
    )
  const test = (Object.keys(tests) as Test[]).find((each) => each in given) ?? 'given'
  const build = (value: unknown, by: Test, operand: unknown) =>
    onChange(value === '' ? undefined : by === 'given' ? { value } : { value, [by]: operand })
  const value = 'value' in given ? given['value'] : ''
  const operand = given[test] ?? ''
  return (
    <Field id={path} label="Only when" optional hint="Left empty, it always runs.">
      <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,6rem)] gap-1.5">
        <Input
          {...describe(path)}
          mono
          placeholder="{{ input.copyTo }}"
          value={showTemplate(value)}
          onChange={(event) => build(event.target.value === '' ? '' : readTemplate(event.target.value), test, operand)}
        />
        <Select
          aria-label="Comparison"
          value={test}
          onChange={(event) => build(value, event.target.value as Test, operand)}
        >
          {(Object.entries(tests) as [Test, string][]).map(([each, words]) => (
            <option key={each} value={each}>
              {words}
            </option>
          ))}
        </Select>
        {test !== 'given' && (
          <div className="col-span-full">
            <Input
              aria-label="Compared with"
              mono
              value={showTemplate(operand)}
              onChange={(event) => build(value, test, readTemplate(event.target.value))}
            />
          </div>
        )}
      </div>
    </Field>
  )
}

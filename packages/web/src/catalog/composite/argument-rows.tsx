import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../ui/button.tsx'
import { Check } from '../../ui/form/check.tsx'
import { Input, Select } from '../../ui/form/field.tsx'
import { objectOf, textOf, withPart, type Definition } from './composite-draft.ts'

interface ArgumentRowsProps {
  readonly schema: Definition
  /** The argument that chooses an operation; it is always there. */
  readonly selector: string | null
  readonly error: string | undefined
  readonly onChange: (schema: Definition) => void
}

const types = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const

/** The arguments that clients give, as the rows of a schema; what a row cannot say stays as it is in the JSON. */
export function ArgumentRows({ schema, selector, error, onChange }: ArgumentRowsProps) {
  const rows = Object.entries(objectOf(schema['properties']))
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : []
  const put = (next: [string, unknown][], needed: readonly string[]) =>
    onChange(
      withPart(schema, { properties: Object.fromEntries(next), required: needed.length === 0 ? undefined : needed }),
    )
  const replace = (index: number, name: string, property: unknown) =>
    put(
      rows.map((row, at): [string, unknown] => (at === index ? [name, property] : row)),
      required.map((each) => (each === rows[index]![0] ? name : each)),
    )
  const add = () => {
    put([...rows, [freeName(rows.map(([name]) => name)), { type: 'string' }]], required)
    requestAnimationFrame(() => document.getElementById(`argument-${rows.length}`)?.focus())
  }
  return (
    <section aria-label="Arguments" className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <h3 className="text-base font-semibold">Arguments</h3>
      {error !== undefined && <p className="text-sm text-bad">{error}</p>}
      {rows.map(([name, property], index) => {
        const given = objectOf(property)
        const isSelector = name === selector
        return (
          <div
            key={index}
            className="grid grid-cols-[minmax(0,1fr)_minmax(0,7rem)_auto] items-center gap-2 sm:grid-cols-[minmax(0,10rem)_7rem_minmax(0,1fr)_6rem_auto]"
          >
            <Input
              id={`argument-${index}`}
              aria-label={`Name of argument ${index + 1}`}
              mono
              readOnly={isSelector}
              value={name}
              onChange={(event) => replace(index, event.target.value, property)}
            />
            <Select
              aria-label={`Type of ${name}`}
              value={textOf(given['type'])}
              onChange={(event) => replace(index, name, withPart(given, { type: event.target.value }))}
            >
              {!types.some((type) => type === given['type']) && <option value="">as in the JSON</option>}
              {types.map((type) => (
                <option key={type}>{type}</option>
              ))}
            </Select>
            <div className="order-4 sm:order-none">
              <Input
                aria-label={`Description of ${name}`}
                placeholder={isSelector ? 'Chooses the operation' : 'What it is for'}
                value={textOf(given['description'])}
                onChange={(event) =>
                  replace(index, name, withPart(given, { description: event.target.value || undefined }))
                }
              />
            </div>
            <div className="order-5 col-span-2 pt-0.5 sm:order-none sm:col-span-1">
              <Check
                label="Required"
                checked={required.includes(name)}
                onChange={(isNeeded) =>
                  put(rows, isNeeded ? [...required, name] : required.filter((each) => each !== name))
                }
              />
            </div>
            {isSelector ? (
              <span className="size-7" />
            ) : (
              <IconButton
                label={`Remove the argument ${name}`}
                onClick={() =>
                  put(
                    rows.toSpliced(index, 1),
                    required.filter((each) => each !== name),
                  )
                }
              >
                <X aria-hidden />
              </IconButton>
            )}
          </div>
        )
      })}
      <Button size="sm" className="justify-self-start" onClick={add}>
        <Plus aria-hidden />
        Argument
      </Button>
    </section>
  )
}

function freeName(names: readonly string[]): string {
  let number = names.length
  while (names.includes(`argument${number}`)) number++
  return `argument${number}`
}

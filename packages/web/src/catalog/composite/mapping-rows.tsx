import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../ui/button.tsx'
import { Input, Select } from '../../ui/form/field.tsx'
import { readTemplate, showTemplate, textOf, withPart, type Definition } from './composite-draft.ts'

interface MappingRowsProps {
  readonly rules: readonly Definition[]
  /** What the tool takes. */
  readonly targets: readonly { readonly name: string; readonly isRequired: boolean }[]
  readonly onChange: (rules: Definition[]) => void
}

/** How the arguments of a tool are made of those that came; without a row they pass as they are. */
export function MappingRows({ rules, targets, onChange }: MappingRowsProps) {
  const set = (index: number, rule: Definition) => onChange(rules.toSpliced(index, 1, rule))
  const begin = () =>
    onChange(
      targets.length === 0
        ? [{ target: '' }]
        : targets.map(({ name, isRequired }) => ({ target: name, ...(isRequired ? { required: true } : {}) })),
    )
  if (rules.length === 0)
    return (
      <p className="flex flex-wrap items-center gap-x-2 text-sm text-ink-2">
        Arguments pass as they come.
        <Button size="sm" variant="ghost" onClick={begin}>
          Map them
        </Button>
      </p>
    )
  return (
    <fieldset className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <legend className="mb-1 text-sm font-medium">Arguments of the tool</legend>
      {rules.map((rule, index) => {
        const isFixed = 'value' in rule || 'literal' in rule
        const target = textOf(rule['target'])
        const label = target || `argument ${index + 1}`
        return (
          <div
            key={index}
            className="grid grid-cols-[minmax(0,1fr)_minmax(0,6.5rem)_minmax(0,1fr)_auto] items-center gap-1.5"
          >
            <Input
              aria-label={`Argument ${index + 1} of the tool`}
              mono
              placeholder="path"
              value={target}
              onChange={(event) => set(index, withPart(rule, { target: event.target.value }))}
            />
            <Select
              aria-label={`How ${label} is made`}
              value={isFixed ? 'fixed' : 'from'}
              onChange={(event) => set(index, event.target.value === 'fixed' ? { target, value: '' } : { target })}
            >
              <option value="from">is taken from</option>
              <option value="fixed">is always</option>
            </Select>
            <Input
              aria-label={isFixed ? `Value of ${label}` : `Where ${label} comes from`}
              mono
              placeholder={isFixed ? 'value' : target || 'argument'}
              value={isFixed ? showTemplate(rule['value'] ?? rule['literal']) : textOf(rule['source'] ?? rule['from'])}
              onChange={(event) =>
                set(
                  index,
                  isFixed
                    ? { target, value: readTemplate(event.target.value) }
                    : withPart(rule, { source: event.target.value || undefined, from: undefined }),
                )
              }
            />
            <IconButton label={`Remove the mapping of ${label}`} onClick={() => onChange(rules.toSpliced(index, 1))}>
              <X aria-hidden />
            </IconButton>
          </div>
        )
      })}
      <Button
        size="sm"
        variant="ghost"
        className="justify-self-start"
        onClick={() => onChange([...rules, { target: '' }])}
      >
        <Plus aria-hidden />
        Mapping
      </Button>
    </fieldset>
  )
}

import { ListFilterPlus } from 'lucide-react'
import { useId, useRef, useState, type FormEvent } from 'react'
import { Button } from '../../ui/button.tsx'
import { describe, Field, Input, Select } from '../../ui/form/field.tsx'
import { filterFields, findFilterProblem, type FilterName } from '../trace-filter.ts'
import type { TraceSearch } from '../trace-search.ts'

interface AddFilterProps {
  readonly known: (name: string) => readonly string[]
  readonly onAdd: (part: TraceSearch) => void
}

const minuteMs = 60_000
const presets = [
  { label: '15 min', ms: 15 * minuteMs },
  { label: '1 h', ms: 60 * minuteMs },
  { label: '24 h', ms: 24 * 60 * minuteMs },
  { label: '7 days', ms: 7 * 24 * 60 * minuteMs },
]

/** A button that opens a small form: which field, which value. */
export function AddFilter({ known, onAdd }: AddFilterProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const popup = useRef<HTMLDivElement>(null)
  const [name, setName] = useState<FilterName>('server')
  const [value, setValue] = useState('')
  const [problem, setProblem] = useState<string>()
  const field = filterFields.find((each) => each.name === name)!
  const isTime = name === 'from' || name === 'to'

  function place() {
    const [anchor, box] = [button.current, popup.current]
    if (anchor === null || box === null) return
    const { left, bottom } = anchor.getBoundingClientRect()
    box.style.left = `${Math.max(8, Math.min(left, innerWidth - box.offsetWidth - 8))}px`
    box.style.top = `${bottom + 4}px`
  }
  function add(part: Readonly<Record<string, string | undefined>>) {
    popup.current?.hidePopover()
    setValue('')
    setProblem(undefined)
    onAdd(part)
  }
  function submit(event: FormEvent) {
    event.preventDefault()
    const found = findFilterProblem(name, value.trim())
    setProblem(found)
    if (found !== undefined) return document.getElementById(`${id}value`)?.focus()
    add({ [name]: isTime ? new Date(value).toISOString() : value.trim() })
  }

  return (
    <>
      <Button ref={button} popoverTarget={id}>
        <ListFilterPlus aria-hidden />
        Add filter
      </Button>
      <div
        ref={popup}
        id={id}
        popover="auto"
        role="dialog"
        aria-label="Add filter"
        onToggle={(event) => event.newState === 'open' && place()}
        className="fixed m-0 w-[min(22rem,calc(100vw-1rem))] rounded-lg border border-line bg-raised p-4 text-ink shadow-pop"
      >
        <form onSubmit={submit} noValidate className="grid gap-3">
          <Field id={`${id}name`} label="Field" hint={field.hint}>
            <Select
              {...describe(`${id}name`)}
              value={name}
              onChange={(event) => {
                setName(event.target.value as FilterName)
                setValue('')
                setProblem(undefined)
              }}
            >
              {filterFields.map((each) => (
                <option key={each.name} value={each.name}>
                  {each.label}
                </option>
              ))}
            </Select>
          </Field>
          <Field id={`${id}value`} label="Value" error={problem}>
            {field.values === undefined ? (
              <Input
                {...describe(`${id}value`, problem)}
                list={`${id}known`}
                type={isTime ? 'datetime-local' : 'text'}
                inputMode={name === 'minMs' ? 'numeric' : undefined}
                mono={!isTime}
                maxLength={1000}
                value={value}
                onChange={(event) => setValue(event.target.value)}
              />
            ) : (
              <Select
                {...describe(`${id}value`, problem)}
                value={value}
                onChange={(event) => setValue(event.target.value)}
              >
                <option value="">Choose</option>
                {field.values.map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </Select>
            )}
            <datalist id={`${id}known`}>
              {known(name).map((each) => (
                <option key={each}>{each}</option>
              ))}
            </datalist>
          </Field>
          <Button type="submit" variant="primary" className="justify-self-start">
            Add
          </Button>
          <div className="flex flex-wrap items-center gap-1.5 border-t border-line pt-3">
            <span className="text-sm text-ink-2">The last</span>
            {presets.map(({ label, ms }) => (
              <Button
                key={label}
                size="sm"
                onClick={() => add({ from: new Date(Date.now() - ms).toISOString(), to: undefined })}
              >
                {label}
              </Button>
            ))}
          </div>
        </form>
      </div>
    </>
  )
}

import { Plus } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { describe, Field, Input } from '../../ui/form/field.tsx'
import { selectorOf, type CompositePart } from './composite-basics.tsx'
import { listOf, objectOf, textOf, withPart, type Definition } from './composite-draft.ts'
import { MappingRows } from './mapping-rows.tsx'
import { moved, PartFrame } from './part-frame.tsx'
import { ToolInput, useToolArguments } from './tool-input.tsx'

/** The operations of an aggregate: which word calls which tool, with which arguments. */
export function AggregateFields({ definition, change, form }: CompositePart) {
  const operations = listOf(definition['operations'])
  const put = (next: readonly Definition[]) => change(withPart(definition, { operations: next }))
  const add = () => {
    put([...operations, { value: '', downstreamTool: '' }])
    requestAnimationFrame(() => document.getElementById(`definition.operations.${operations.length}.value`)?.focus())
  }
  /** Puts the arguments of a tool among those of the aggregate, where they are not there yet. */
  const take = (properties: Definition) => {
    const schema = objectOf(definition['inputSchema'])
    const joined: Record<string, unknown> = { ...objectOf(schema['properties']) }
    for (const [name, property] of Object.entries(properties)) joined[name] ??= property
    change(withPart(definition, { inputSchema: { ...schema, properties: joined } }))
  }
  return (
    <section aria-label="Operations" className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <div>
        <h3 className="text-base font-semibold">Operations</h3>
        <p className="text-sm text-ink-2">
          The argument <code className="font-mono">{selectorOf(definition)}</code> says which of these is called.
        </p>
      </div>
      <ol className="grid grid-cols-[minmax(0,1fr)] gap-2">
        {operations.map((operation, index) => (
          <PartFrame
            key={index}
            label={`Operation ${index + 1}`}
            isFirst={index === 0}
            isLast={index === operations.length - 1}
            onMove={(by) => put(moved(operations, index, by))}
            onRemove={() => put(operations.toSpliced(index, 1))}
          >
            <Operation
              path={`definition.operations.${index}`}
              operation={operation}
              problem={form.problem}
              touch={form.touch}
              onTake={take}
              onChange={(next) => put(operations.toSpliced(index, 1, next))}
            />
          </PartFrame>
        ))}
      </ol>
      <Button size="sm" className="justify-self-start" onClick={add}>
        <Plus aria-hidden />
        Operation
      </Button>
    </section>
  )
}

interface OperationProps {
  readonly path: string
  readonly operation: Definition
  readonly problem: (path: string) => string | undefined
  readonly touch: (path: string) => void
  readonly onTake: (properties: Definition) => void
  readonly onChange: (operation: Definition) => void
}

function Operation({ path, operation, problem, touch, onTake, onChange }: OperationProps) {
  const set = (part: Definition) => onChange(withPart(operation, part))
  const server = textOf(operation['downstreamServer']) || undefined
  const reference = { server, tool: textOf(operation['downstreamTool']) }
  const known = useToolArguments(reference)
  const word = problem(`${path}.value`)
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 sm:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
        <Field id={`${path}.value`} label="Word" error={word}>
          <Input
            {...describe(`${path}.value`, word)}
            mono
            placeholder="read"
            value={textOf(operation['value'])}
            onChange={(event) => set({ value: event.target.value })}
            onBlur={() => touch(`${path}.value`)}
          />
        </Field>
        <ToolInput
          id={`${path}.downstreamTool`}
          value={reference}
          error={problem(`${path}.downstreamTool`)}
          onChange={(next) => set({ downstreamServer: next.server, downstreamTool: next.tool })}
        />
      </div>
      <Field id={`${path}.description`} label="One line for the model" optional>
        <Input
          {...describe(`${path}.description`)}
          value={textOf(operation['description'])}
          onChange={(event) => set({ description: event.target.value || undefined })}
        />
      </Field>
      {known.length > 0 && (
        <p className="flex flex-wrap items-center gap-x-2 text-sm text-ink-2">
          It takes {known.map(({ name, isRequired }) => (isRequired ? `${name}*` : name)).join(', ')}.
          <Button
            size="sm"
            variant="ghost"
            onClick={() => onTake(Object.fromEntries(known.map(({ name, property }) => [name, property])))}
          >
            Offer these as arguments
          </Button>
        </p>
      )}
      <MappingRows
        rules={listOf(operation['argumentMappings'])}
        targets={known}
        onChange={(rules) => set({ argumentMappings: rules.length === 0 ? undefined : rules })}
      />
    </>
  )
}

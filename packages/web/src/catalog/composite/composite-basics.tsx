import type { CompositeInput } from '@herma/contract'
import type { Form } from '../../form/use-form.ts'
import { describe, Field, Input, TextArea } from '../../ui/form/field.tsx'
import { Chips } from '../../ui/list-editor/chips.tsx'
import { ArgumentRows } from './argument-rows.tsx'
import {
  objectOf,
  textOf,
  withPart,
  type CompositeDraft,
  type CompositeKind,
  type Definition,
} from './composite-draft.ts'

export interface CompositePart {
  readonly definition: Definition
  readonly change: (definition: Definition) => void
  readonly form: Form<CompositeDraft, CompositeInput>
}

/** What clients see of a composite: its name, what it says of itself, and its arguments. */
export function CompositeBasics({ kind, definition, change, form }: CompositePart & { kind: CompositeKind }) {
  const set = (part: Definition) => change(withPart(definition, part))
  const name = form.problem('definition.name')
  const description = form.problem('definition.description')
  return (
    <>
      <section aria-label="Basics" className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <Field id="definition.name" label="Name" error={name} hint="What clients call. Letters, digits, _ and -.">
          <Input
            {...describe('definition.name', name)}
            mono
            value={textOf(definition['name'])}
            onChange={(event) => set({ name: event.target.value })}
            onBlur={() => form.touch('definition.name')}
          />
        </Field>
        <Field
          id="definition.description"
          label="Description"
          error={description}
          hint={kind === 'aggregate' ? 'For the model. The operations are listed below it.' : 'For the model.'}
        >
          <TextArea
            {...describe('definition.description', description)}
            rows={2}
            value={textOf(definition['description'])}
            onChange={(event) => set({ description: event.target.value })}
            onBlur={() => form.touch('definition.description')}
          />
        </Field>
        <Field id="definition.tags" label="Tags" optional>
          <Chips
            id="definition.tags"
            noun="tag"
            isOrdered={false}
            values={Array.isArray(definition['tags']) ? definition['tags'].map(String) : []}
            onChange={(tags) => set({ tags: tags.length === 0 ? undefined : tags })}
            problem={form.problem}
          />
        </Field>
      </section>
      <ArgumentRows
        schema={objectOf(definition['inputSchema'])}
        selector={kind === 'aggregate' ? selectorOf(definition) : null}
        error={form.problem('definition.inputSchema')}
        onChange={(inputSchema) => set({ inputSchema })}
      />
    </>
  )
}

/** The argument that says which operation is meant. */
export function selectorOf(definition: Definition): string {
  return textOf(objectOf(definition['selector'])['field']) || 'operation'
}

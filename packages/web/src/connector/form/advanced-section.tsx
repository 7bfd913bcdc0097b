import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { describe, Field, TextArea } from '../../ui/form/field.tsx'
import { FormSection } from '../../ui/form/form-section.tsx'
import { OptionControl } from './option-control.tsx'
import { defaultOptions, type OptionField, optionGroups } from './draft/option-fields.ts'
import type { ConnectorForm } from './use-connector-form.ts'

/** What most people never touch: options in groups that open on demand, and notes. */
export function AdvancedSection({ form }: { form: ConnectorForm }) {
  const { draft, change, problem, touch } = form
  return (
    <FormSection id="advanced" title="Advanced">
      <div id="options" tabIndex={-1} className="overflow-hidden rounded-lg border border-line bg-surface outline-none">
        {optionGroups.map(({ title, fields }) => (
          <OptionGroup key={title} title={title} fields={fields} form={form} />
        ))}
      </div>
      <Field
        id="notes"
        label="Notes"
        optional
        hint="For you and others who look here. Never sent anywhere."
        error={problem('notes')}
      >
        <TextArea
          {...describe('notes', problem('notes'))}
          rows={3}
          value={draft.notes}
          onChange={(event) => change({ notes: event.target.value })}
          onBlur={() => touch('notes')}
        />
      </Field>
    </FormSection>
  )
}

function OptionGroup({ title, fields, form }: { title: string; fields: readonly OptionField[]; form: ConnectorForm }) {
  const { draft, change, problem, touch } = form
  const [isOpen, setOpen] = useState(false)
  const changed = fields.filter(({ name }) => draft.options[name] !== defaultOptions[name])
  const hasProblem = fields.some(({ name }) => problem(`options.${name}`) !== undefined)
  return (
    <details
      // A field with a problem cannot get the focus inside a closed group.
      open={isOpen || hasProblem}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="group border-line not-first:border-t"
    >
      <summary className="flex min-h-11 cursor-pointer items-center gap-2 px-3 -outline-offset-2 hover:bg-well">
        <ChevronRight className="size-4 shrink-0 text-ink-3 group-open:rotate-90" aria-hidden />
        <span className="font-medium whitespace-nowrap">{title}</span>
        <span className="min-w-0 truncate text-sm text-ink-3">
          {fields.map(({ label }) => label.toLowerCase()).join(', ')}
        </span>
        {changed.length > 0 && (
          <Badge tone="accent" className="ml-auto">
            {changed.length} changed
          </Badge>
        )}
      </summary>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-4 gap-y-5 border-t border-line px-4 py-4 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        {fields.map((field) => (
          <OptionControl
            key={field.name}
            field={field}
            value={draft.options[field.name]}
            connectorName={draft.name}
            error={problem(`options.${field.name}`)}
            onChange={(value) => change({ options: { ...draft.options, [field.name]: value } })}
            onBlur={() => touch(`options.${field.name}`)}
          />
        ))}
      </div>
    </details>
  )
}

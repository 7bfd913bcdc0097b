import { ChevronRight } from 'lucide-react'
import { useId, useState, type ReactNode } from 'react'
import { describe, Field, TextArea } from '../../ui/form/field.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import { AbilityFields } from './field/ability-fields.tsx'
import type { FormPart } from './field/form-part.ts'
import { LimitFields, PriceFields } from './field/limit-fields.tsx'
import { PathFields } from './field/path-fields.tsx'
import { ProviderFields } from './field/provider-fields.tsx'
import { RouteRules } from './field/route-rules.tsx'
import { TextField } from './field/text-field.tsx'
import { ToolFields } from './field/tool-fields.tsx'
import { WorkFields } from './field/work-fields.tsx'

/** The whole form: what everybody needs first, the rest folded up below. */
export function SessionFields({ form, saved }: FormPart & { saved: string | null }) {
  const { draft, change } = form
  const isWithoutModel = draft.provider === 'mcp'
  return (
    <div className="min-w-0 [&>section:first-child]:mt-0">
      <Section title="Basics">
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <TextField
            form={form}
            id="name"
            mono
            label="Name"
            hint="Small letters, digits and “-”. It is part of the session’s address."
            value={draft.name}
            onChange={(name) => change({ name })}
          />
          <Field id="description" label="Description" optional error={form.problem('description')}>
            <TextArea
              {...describe('description', form.problem('description'))}
              rows={2}
              value={draft.description}
              onChange={(event) => change({ description: event.target.value })}
            />
          </Field>
          <Switch checked={draft.enabled} onChange={(enabled) => change({ enabled })} label="Enabled" />
        </div>
      </Section>
      <Section title="Provider" hint="Who does the thinking.">
        <ProviderFields form={form} />
      </Section>
      <Section title="Work">
        <WorkFields form={form} />
      </Section>
      {!isWithoutModel && (
        <Section title="Tools">
          <ToolFields form={form} />
        </Section>
      )}
      {isWithoutModel && (
        <Section title="Rules" hint="Each piece of work goes where the first rule that fits says.">
          <RouteRules form={form} />
        </Section>
      )}
      <div className="mt-8 divide-y divide-line border-y border-line">
        <More title="Files within reach" isOpen={hasProblem(form, 'paths')}>
          <PathFields form={form} saved={saved} />
        </More>
        <More title="Abilities offered to clients and teams" isOpen={hasProblem(form, 'abilities')}>
          <AbilityFields form={form} />
        </More>
        {!isWithoutModel && (
          <More
            title={draft.routes.length === 0 ? 'Rules' : `Rules (${draft.routes.length})`}
            hint="Send some work to a tool of a connector instead of the model."
            isOpen={hasProblem(form, 'routes')}
          >
            <RouteRules form={form} />
          </More>
        )}
        <More title="Limits and prices" isOpen={hasProblem(form, 'limits', 'pricing')}>
          <LimitFields form={form} />
          <p className="mt-5 mb-2 text-sm text-ink-2">
            What the provider charges, so that costs can be shown and limited.
          </p>
          <PriceFields form={form} />
        </More>
      </div>
    </div>
  )
}

const nested = {
  paths: ['paths.roots', 'paths.denied'],
  abilities: ['abilities'],
  routes: ['routes'],
  limits: [
    'maxSteps',
    'maxTokens',
    'maxCostUsd',
    'timeoutMs',
    'maxParallelTools',
    'maxOutputTokens',
    'maxConcurrency',
  ].map((field) => `limits.${field}`),
  pricing: ['pricing', 'pricing.inputPerMillion', 'pricing.outputPerMillion', 'pricing.cachedInputPerMillion'],
} as const

/** What is wrong must not be folded away. */
function hasProblem(form: FormPart['form'], ...parts: (keyof typeof nested)[]): boolean {
  const ofRoutes = parts.includes('routes')
    ? form.draft.routes.flatMap((_, index) =>
        ['abilities', 'use', 'use.connector', 'use.tool'].map((part) => `routes.${index}.${part}`),
      )
    : []
  return [...parts.flatMap((part) => nested[part]), ...ofRoutes].some((path) => form.problem(path) !== undefined)
}

interface MoreProps {
  readonly title: string
  readonly hint?: string
  readonly isOpen: boolean
  readonly children: ReactNode
}

function More({ title, hint, isOpen, children }: MoreProps) {
  const id = useId()
  const [isChosen, setChosen] = useState(false)
  return (
    // What opened because of a problem stays open when it is mended.
    <details className="group" open={isOpen || isChosen} onToggle={(event) => setChosen(event.currentTarget.open)}>
      <summary className="flex min-h-11 cursor-pointer list-none items-center gap-2 rounded-sm font-medium">
        <ChevronRight className="size-4 shrink-0 text-ink-3 group-open:rotate-90" aria-hidden />
        <span id={id}>{title}</span>
      </summary>
      <section aria-labelledby={id} className="pt-1 pb-6 sm:pl-6">
        {hint !== undefined && <p className="mb-3 text-ink-2">{hint}</p>}
        {children}
      </section>
    </details>
  )
}

/** A named part of a page. */
function Section({ title, hint, children }: { title: string; hint?: ReactNode; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="mt-8 grid grid-cols-[minmax(0,1fr)] gap-3">
      <div>
        <h2 id={id} className="text-lg font-semibold tracking-tight">
          {title}
        </h2>
        {hint && <p className="mt-0.5 text-ink-2">{hint}</p>}
      </div>
      {children}
    </section>
  )
}

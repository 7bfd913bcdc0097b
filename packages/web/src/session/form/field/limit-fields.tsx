import { NumberField } from '../../../ui/form/number-field.tsx'
import type { FormPart } from './form-part.ts'
import type { SessionDraft } from './session-draft.ts'
import { TextField } from './text-field.tsx'

type Limit = keyof SessionDraft['limits']

const limits: readonly { field: Limit; label: string; hint: string; min: number; max: number }[] = [
  { field: 'maxSteps', label: 'Steps in a turn', hint: 'Answers of the model.', min: 1, max: 500 },
  { field: 'maxTokens', label: 'Tokens in a turn', hint: 'In and out together.', min: 100, max: 100_000_000 },
  { field: 'maxOutputTokens', label: 'Tokens in one answer', hint: 'Empty = no limit.', min: 1, max: 10_000_000 },
  { field: 'maxParallelTools', label: 'Tools at once', hint: 'In one turn.', min: 1, max: 64 },
  { field: 'maxConcurrency', label: 'Turns at once', hint: 'More of them wait.', min: 1, max: 256 },
]

/** Where a turn ends at the latest, and what its tokens cost. */
export function LimitFields({ form }: FormPart) {
  const { draft } = form
  const change = (part: Partial<SessionDraft['limits']>) => form.change({ limits: { ...draft.limits, ...part } })
  const { timeoutMs } = draft.limits
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2 lg:grid-cols-3">
      {limits.map(({ field, ...rest }) => (
        <NumberField
          key={field}
          id={`limits.${field}`}
          {...rest}
          value={draft.limits[field]}
          onChange={(value) => change({ [field]: value })}
          error={form.problem(`limits.${field}`)}
          onBlur={() => form.touch(`limits.${field}`)}
        />
      ))}
      <NumberField
        id="limits.timeoutMs"
        label="Seconds of a turn"
        hint="Then it is ended."
        min={1}
        max={86_400}
        value={timeoutMs === null ? null : timeoutMs / 1000}
        onChange={(value) => change({ timeoutMs: value === null ? null : Math.round(value * 1000) })}
        error={form.problem('limits.timeoutMs')}
        onBlur={() => form.touch('limits.timeoutMs')}
      />
      <Dollars
        form={form}
        id="limits.maxCostUsd"
        label="Cost of a turn, $"
        hint="Needs prices. Empty = no limit."
        value={draft.maxCostUsd}
        onChange={(maxCostUsd) => form.change({ maxCostUsd })}
      />
    </div>
  )
}

export function PriceFields({ form }: FormPart) {
  const { draft } = form
  const change = (part: Partial<SessionDraft['prices']>) => form.change({ prices: { ...draft.prices, ...part } })
  return (
    <div id="pricing" tabIndex={-1} className="grid grid-cols-[minmax(0,1fr)] gap-4 outline-none sm:grid-cols-3">
      <Dollars
        form={form}
        id="pricing.inputPerMillion"
        label="In, $ per million"
        value={draft.prices.input}
        onChange={(input) => change({ input })}
      />
      <Dollars
        form={form}
        id="pricing.outputPerMillion"
        label="Out, $ per million"
        value={draft.prices.output}
        onChange={(output) => change({ output })}
      />
      <Dollars
        form={form}
        id="pricing.cachedInputPerMillion"
        label="In from cache, $ per million"
        value={draft.prices.cached}
        onChange={(cached) => change({ cached })}
      />
      {form.problem('pricing') !== undefined && (
        <p className="text-sm text-bad sm:col-span-3">{form.problem('pricing')}</p>
      )}
    </div>
  )
}

interface DollarsProps extends FormPart {
  readonly id: string
  readonly label: string
  readonly hint?: string
  readonly value: string
  readonly onChange: (value: string) => void
}

function Dollars(props: DollarsProps) {
  return (
    <TextField
      {...props}
      optional
      isNarrow
      inputMode="decimal"
      className="tnum"
      error="Write an amount, such as 2.50."
    />
  )
}

import type { FieldView, ToolDetail } from '@herma/contract'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/page/page-state.tsx'
import { beginField, type OverrideField } from './override-draft.ts'
import { OverrideRow } from './override-row.tsx'
import type { OverrideEditing } from './use-override-form.ts'

interface OverrideFieldsProps {
  readonly detail: ToolDetail
  readonly form: OverrideEditing
  readonly mayChange: boolean
}

/** Every field of a tool in three columns: original, override, what clients see. */
export function OverrideFields({ detail, form, mayChange }: OverrideFieldsProps) {
  const { connector, originalName, byHand } = detail
  const rows = [visibilityOf(detail), ...detail.fields]
  const conflicting = rows.filter(({ state }) => state === 'conflicting')
  const accept = useChange({
    send: () => api.acceptOverride({ server: connector, tool: originalName }),
    topics: ['catalog'],
    done: () => 'Your overrides are kept.',
  })
  return (
    <>
      {conflicting.length > 0 && (
        <div className="flex flex-wrap items-center gap-2 rounded-md bg-warn-soft px-3 py-2">
          <p className="mr-auto">
            The server changed {conflicting.map(({ field }) => fieldNames[field as OverrideField] ?? field).join(', ')}{' '}
            since the override was made. Clients still see the override.
          </p>
          {mayChange && (
            <Button size="sm" pending={accept.isPending} onClick={() => accept.mutate()}>
              Keep the override
            </Button>
          )}
        </div>
      )}
      {accept.error !== null && <Failure title="It was not accepted." error={accept.error} />}
      <div>
        <div className="hidden gap-4 border-b border-line pb-1 text-xs font-medium text-ink-3 md:grid md:grid-cols-[7rem_repeat(3,minmax(0,1fr))]">
          <span />
          <span>Original</span>
          <span>Override</span>
          <span>What clients see</span>
        </div>
        {rows.map((view) => {
          const field = view.field as OverrideField
          return (
            <OverrideRow
              key={field}
              label={fieldNames[field]}
              view={view}
              field={field}
              form={form}
              mayChange={mayChange}
              isSaved={byHand !== null && field in byHand}
              onBegin={() => form.change(beginField(field, view.exposed ?? view.original))}
            />
          )
        })}
      </div>
    </>
  )
}

const fieldNames: Record<OverrideField, string> = {
  enabled: 'Visibility',
  name: 'Name',
  title: 'Title',
  description: 'Description',
  annotations: 'Hints',
  inputSchema: 'Input schema',
  outputSchema: 'Output schema',
  tags: 'Tags',
}

/** Hidden or shown, in the same form as what the hub tells of the other fields. */
function visibilityOf({ byHand, hiddenBecause }: ToolDetail): FieldView {
  const enabled = byHand?.enabled
  return {
    field: 'enabled',
    original: 'Shown',
    override: enabled === undefined ? null : enabled ? 'Shown' : 'Hidden',
    exposed: hiddenBecause === null ? 'Shown' : `Hidden: ${hiddenBecause}`,
    origin: enabled === undefined ? null : '(database)',
    state: null,
    base: null,
  }
}

import { Tag, type CatalogTool } from '@herma/contract'
import { useState } from 'react'
import { z } from 'zod'
import { useChange } from '../../api/use-change.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useForm } from '../../form/use-form.ts'
import { Check } from '../../ui/form/check.tsx'
import { Field } from '../../ui/form/field.tsx'
import { count } from '../../ui/format.ts'
import { Chips } from '../../ui/list-editor/chips.tsx'
import { tagTools } from './change-tools.ts'

const Draft = z.object({ added: z.array(Tag), removed: z.array(z.string()) })
const initial: z.infer<typeof Draft> = { added: [], removed: [] }
const same = (draft: unknown) => draft

interface TagDialogProps {
  readonly tools: readonly CatalogTool[]
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Adds tags to tools and takes some away; views and the search of agents go by them. */
export function TagDialog({ tools, onClose, onDone }: TagDialogProps) {
  const form = useForm({ initial, schema: Draft, toInput: same })
  const [known] = useState(() => [...new Set(tools.flatMap(({ tags }) => tags))].toSorted())
  const { added, removed } = form.draft
  const save = useChange({
    send: (change: z.infer<typeof Draft>) => tagTools(tools, change),
    topics: ['catalog'],
    done: () => `Tags of ${count(tools.length, 'tool')} changed.`,
    onDone,
  })
  return (
    <FormDialog
      title={`Tags of ${count(tools.length, 'tool')}`}
      hint="Views and the search of agents go by tags."
      action="Save tags"
      form={form}
      save={(change) => save.mutateAsync(change)}
      onClose={onClose}
    >
      <Field id="added" label="Add" hint="Lower-case words. Enter adds one.">
        <Chips
          id="added"
          noun="tag"
          isOrdered={false}
          values={added}
          onChange={(next) => form.change({ added: next })}
          problem={form.problem}
          describedBy="added-hint"
        />
      </Field>
      {known.length > 0 && (
        <fieldset>
          <legend className="text-sm font-medium">Remove</legend>
          <div className="mt-1 flex flex-wrap gap-x-4">
            {known.map((tag) => (
              <Check
                key={tag}
                label={tag}
                checked={removed.includes(tag)}
                onChange={(isRemoved) =>
                  form.change({ removed: isRemoved ? [...removed, tag] : removed.filter((each) => each !== tag) })
                }
              />
            ))}
          </div>
        </fieldset>
      )}
    </FormDialog>
  )
}

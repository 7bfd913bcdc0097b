import type { ToolPolicy } from '@herma/contract'
import { Link } from '@tanstack/react-router'
import { describe, Field, Select } from '../../../ui/form/field.tsx'
import { Switch } from '../../../ui/form/switch.tsx'
import { Chips } from '../../../ui/list-editor/chips.tsx'
import type { FormPart } from './form-part.ts'

/** Which tools it may use, and which of them a person has to allow first. */
export function ToolFields({ form }: FormPart) {
  const { draft } = form
  const change = (part: Partial<ToolPolicy>) => form.change({ tools: { ...draft.tools, ...part } })
  const globs = (field: 'allow' | 'deny' | 'approved', label: string, hint: string) => (
    <Field id={`tools.${field}`} label={label} hint={hint} error={form.problem(`tools.${field}`)}>
      <Chips
        id={`tools.${field}`}
        noun="pattern"
        isOrdered={false}
        values={draft.tools[field]}
        onChange={(values) => change({ [field]: values })}
        describedBy={`tools.${field}-hint`}
        problem={form.problem}
        placeholder="read_*"
      />
    </Field>
  )
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Switch
        checked={draft.tools.catalog}
        onChange={(catalog) => change({ catalog })}
        label="Use the whole catalog"
        hint={
          <>
            Besides the connectors that are{' '}
            <Link to="/bindings" className="underline">
              attached to it
            </Link>
            .
          </>
        }
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2">
        {globs('allow', 'Tools it may use', 'Names; * stands for anything.')}
        {globs('deny', 'Tools it may not use', 'They win over what is allowed.')}
      </div>
      <Field id="tools.approval" label="Ask a person first" hint={approvalHints[draft.tools.approval]}>
        <div className="max-w-80">
          <Select
            {...describe('tools.approval')}
            value={draft.tools.approval}
            onChange={(event) => change({ approval: event.target.value as ToolPolicy['approval'] })}
          >
            <option value="never">Never</option>
            <option value="writes">Before it changes something</option>
            <option value="always">Before every tool</option>
          </Select>
        </div>
      </Field>
      {draft.tools.approval !== 'never' &&
        globs(
          'approved',
          'Needs no asking',
          'Tools that somebody has allowed for good. “Always allow” in a chat adds to it.',
        )}
    </div>
  )
}

const approvalHints: Readonly<Record<ToolPolicy['approval'], string>> = {
  never: 'It uses its tools as it likes.',
  writes: 'Tools that are not marked as read-only wait for your answer in the chat.',
  always: 'Each tool call waits for your answer in the chat.',
}

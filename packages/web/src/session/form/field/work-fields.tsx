import { useMay } from '../../../api/me.ts'
import { PathField } from '../../../form/path-field.tsx'
import { describe, Field, TextArea } from '../../../ui/form/field.tsx'
import type { FormPart } from './form-part.ts'

/** What it is told before anything else, and where it works. */
export function WorkFields({ form }: FormPart) {
  const { draft, change } = form
  const canBrowse = useMay('admin')
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {draft.provider !== 'mcp' && (
        <Field
          id="instructions"
          label="Instructions"
          optional
          hint="What it is told before every turn: who it is, what it should mind."
          error={form.problem('instructions')}
        >
          <TextArea
            {...describe('instructions', form.problem('instructions'))}
            rows={6}
            value={draft.instructions}
            onChange={(event) => change({ instructions: event.target.value })}
          />
        </Field>
      )}
      <Field
        id="workingDir"
        label="Working directory"
        optional
        hint="The folder whose files it reads, changes and tests. Without one, files are out of its reach."
        error={form.problem('workingDir')}
      >
        <PathField
          {...describe('workingDir', form.problem('workingDir'))}
          kind="folder"
          label="the working directory"
          placeholder="/path/to/a/project"
          canBrowse={canBrowse}
          value={draft.workingDir}
          onChange={(workingDir) => change({ workingDir })}
          onBlur={() => form.touch('workingDir')}
        />
      </Field>
    </div>
  )
}

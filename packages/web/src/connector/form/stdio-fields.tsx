import { useState } from 'react'
import { useMay } from '../../api/me.ts'
import { PathField } from '../../form/path-field.tsx'
import { describe, Field } from '../../ui/form/field.tsx'
import { Chips } from '../../ui/list-editor/chips.tsx'
import { KeyValueEditor } from '../../ui/list-editor/key-value-editor.tsx'
import { SecretHints } from './secret-hints.tsx'
import { IsolationFields } from './isolation-fields.tsx'
import type { ConnectorForm } from './use-connector-form.ts'

/** What is put in for each token when a program is started. */
export const argumentTokens = [
  { token: '{cwd}', meaning: 'the working directory; in a session that of the session' },
  { token: '{session_id}', meaning: 'the session or the client connection that it runs for; empty when it serves all' },
  { token: '{thread_id}', meaning: 'the thread of the session that calls it; empty elsewhere' },
  {
    token: '{server_id}',
    meaning: 'the server of Herma that has it: a session, the custom server that hosts it, or facade',
  },
  { token: '{hop_limit}', meaning: 'how many servers of Herma a call of the session may pass; empty elsewhere' },
]

/** The program to start, its arguments, variables and folder. */
export function StdioFields({ form }: { form: ConnectorForm }) {
  const { draft, change, problem, touch } = form
  const canBrowse = useMay('admin')
  const [storedCount, setStoredCount] = useState(0)
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <Field id="cmd" label="Executable" hint="A program on the hub’s PATH, or a full path." error={problem('cmd')}>
          <PathField
            {...describe('cmd', problem('cmd'))}
            kind="file"
            label="the program"
            canBrowse={canBrowse}
            value={draft.cmd}
            placeholder="npx"
            onChange={(cmd) => change({ cmd })}
            onBlur={() => touch('cmd')}
          />
        </Field>
        <Field
          id="workingDir"
          label="Working directory"
          optional
          hint="Where it starts. By default where the hub was started."
          error={problem('workingDir')}
        >
          <PathField
            {...describe('workingDir', problem('workingDir'))}
            kind="folder"
            label="the working directory"
            canBrowse={canBrowse}
            value={draft.workingDir}
            placeholder="/srv/project"
            onChange={(workingDir) => change({ workingDir })}
            onBlur={() => touch('workingDir')}
          />
        </Field>
      </div>
      <Field
        id="args"
        label="Arguments"
        error={problem('args')}
        hint="Enter adds one; a pasted command line is split. Drag to reorder, or Alt and an arrow key."
      >
        <Chips
          // Anew after a secret was stored, since the last word is still there to be read out.
          key={storedCount}
          id="args"
          noun="argument"
          values={draft.args}
          onChange={(args) => change({ args })}
          tokens={argumentTokens}
          placeholder="-y @scope/server --flag value"
          problem={problem}
          isInvalid={problem('args') !== undefined}
          describedBy="args-hint"
        />
      </Field>
      <SecretHints form={form} field="args" onStored={() => setStoredCount((last) => last + 1)} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
        <h3 className="text-sm font-medium">Environment variables</h3>
        <p className="text-sm text-ink-3">The program sees these. Secret values are encrypted and never shown again.</p>
        <KeyValueEditor
          id="env"
          noun="variable"
          rows={draft.env}
          onChange={(env) => change({ env })}
          problem={problem}
          onTouch={touch}
          canBePersonal={draft.options.credentials === 'personal'}
          examples={['LOG_LEVEL', 'info']}
        />
        <SecretHints form={form} field="env" />
      </div>
      <IsolationFields form={form} />
    </>
  )
}

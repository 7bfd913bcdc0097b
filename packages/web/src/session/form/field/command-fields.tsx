import type { AgentCommand } from '@herma/contract'
import { useMay } from '../../../api/me.ts'
import { PathField } from '../../../form/path-field.tsx'
import { describe, Field, Select } from '../../../ui/form/field.tsx'
import { Chips } from '../../../ui/list-editor/chips.tsx'
import { KeyValueEditor } from '../../../ui/list-editor/key-value-editor.tsx'
import type { FormPart } from './form-part.ts'
import { useSecretNames } from './key-field.tsx'
import { secretsToStore } from './session-draft.ts'

const dialects: Readonly<Record<AgentCommand['dialect'], { label: string; hint: string; args: string }>> = {
  codex: { label: 'Codex', hint: 'Runs codex exec --json.', args: 'Empty = what Codex needs.' },
  claude: {
    label: 'Claude Code',
    hint: 'Runs claude and reads its stream-json output.',
    args: 'Empty = what Claude Code needs.',
  },
  text: {
    label: 'Another program',
    hint: 'Whatever it prints is the answer.',
    args: 'Without {prompt} among them, the message comes on standard input.',
  },
}

const tokens = [
  { token: '{prompt}', meaning: 'What was said.' },
  { token: '{cwd}', meaning: 'The folder to work in.' },
  { token: '{model}', meaning: 'The model of the session.' },
  { token: '{session_id}', meaning: 'The id of the session.' },
  { token: '{thread_id}', meaning: 'The id of the thread.' },
]

/** An agent that is a program on the hub's machine. */
export function CommandFields({ form }: FormPart) {
  const { draft, change } = form
  const canBrowse = useMay('admin')
  const stored = useSecretNames()
  const { hint, args } = dialects[draft.dialect]
  const replaced = secretsToStore(draft).filter(({ name }) => stored.includes(name))
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2">
        <Field id="command.dialect" label="Program" hint={hint}>
          <Select
            {...describe('command.dialect')}
            value={draft.dialect}
            onChange={(event) => change({ dialect: event.target.value as typeof draft.dialect })}
          >
            {Object.entries(dialects).map(([dialect, { label }]) => (
              <option key={dialect} value={dialect}>
                {label}
              </option>
            ))}
          </Select>
        </Field>
        <Field
          id="command.cmd"
          label="Executable"
          optional={draft.dialect !== 'text'}
          hint={draft.dialect === 'text' ? 'Name or path.' : `Empty = ${draft.dialect} on the path of the hub.`}
          error={form.problem('command.cmd')}
        >
          <PathField
            {...describe('command.cmd', form.problem('command.cmd'))}
            kind="file"
            label="the executable"
            canBrowse={canBrowse}
            value={draft.cmd}
            onChange={(cmd) => change({ cmd })}
            onBlur={() => form.touch('command.cmd')}
          />
        </Field>
      </div>
      <Field id="command.args" label="Arguments" optional hint={args}>
        <Chips
          id="command.args"
          noun="argument"
          values={draft.args}
          onChange={(values) => change({ args: values })}
          tokens={tokens}
          describedBy="command.args-hint"
          problem={form.problem}
        />
      </Field>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
        <p className="text-sm font-medium">
          Variables <span className="font-normal text-ink-3">optional</span>
        </p>
        <p className="text-sm text-ink-3">
          It gets these and the usual ones, no others. A secret is stored under the name of its variable.
        </p>
        <KeyValueEditor
          id="command.env"
          noun="variable"
          rows={draft.env}
          onChange={(env) => change({ env })}
          examples={['CODEX_API_KEY', '{secret:CODEX_API_KEY}']}
        />
        {form.problem('command') !== undefined && <p className="text-sm text-bad">{form.problem('command')}</p>}
        {[...problemsOf(form)].map((text) => (
          <p key={text} className="text-sm text-bad">
            {text}
          </p>
        ))}
        {replaced.length > 0 && (
          <p className="text-sm text-warn">
            {replaced.map(({ name }) => name).join(', ')} is stored already. Saving gives it this value, for everything
            that uses it.
          </p>
        )}
      </div>
    </>
  )
}

/** The hub names a variable by its name, the editor by its place. */
function problemsOf(form: FormPart['form']): Set<string> {
  return new Set(form.draft.env.flatMap(({ name }) => form.problem(`command.env.${name.trim()}`) ?? []))
}

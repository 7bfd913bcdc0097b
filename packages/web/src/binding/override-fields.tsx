import { compileGlobs, type Binding, type ConnectorView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { toolsQuery } from '../api/queries.ts'
import { PathField } from '../form/path-field.tsx'
import type { Form } from '../form/use-form.ts'
import { describe, Field } from '../ui/form/field.tsx'
import { Switch } from '../ui/form/switch.tsx'
import { Chips } from '../ui/list-editor/chips.tsx'
import { KeyValueEditor } from '../ui/list-editor/key-value-editor.tsx'
import type { BindingDraft } from './binding-draft.ts'
import { OptionOverrides } from './option-overrides.tsx'

interface OverrideFieldsProps {
  readonly form: Form<BindingDraft, Binding>
  readonly connector: ConnectorView
  readonly mayChange: boolean
}

/** What is different for one session. Only what this kind of connector can use is offered. */
export function OverrideFields({ form, connector, mayChange }: OverrideFieldsProps) {
  const { draft, change } = form
  const isProcess = connector.transport === 'stdio'
  return (
    // A disabled group of fields is how a page says that one may look only.
    <fieldset disabled={!mayChange} className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <legend className="sr-only">Overrides</legend>
      <Switch
        checked={draft.enabled}
        onChange={(enabled) => change({ enabled })}
        label="Enabled"
        hint="Turned off, the session cannot use it, and what you set here stays."
      />
      {isProcess ? (
        <Part title="Variables" hint="Set instead of, or besides, those of the connector.">
          <KeyValueEditor
            id="env"
            noun="variable"
            rows={draft.env}
            onChange={(env) => change({ env })}
            problem={form.problem}
            onTouch={form.touch}
            disabled={!mayChange}
          />
        </Part>
      ) : (
        <Part title="Headers" hint="Set instead of, or besides, those of the connector.">
          <KeyValueEditor
            id="headers"
            noun="header"
            rows={draft.headers}
            onChange={(headers) => change({ headers })}
            problem={form.problem}
            onTouch={form.touch}
            disabled={!mayChange}
          />
        </Part>
      )}
      {isProcess && (
        <Field
          id="cwd"
          label="Working directory"
          optional
          hint="{cwd} stands for the folder of the session. Empty = as the connector has it."
          error={form.problem('cwd')}
        >
          <PathField
            {...describe('cwd', form.problem('cwd'))}
            kind="folder"
            label="the working directory"
            canBrowse={mayChange}
            placeholder="{cwd}"
            value={draft.cwd}
            onChange={(cwd) => change({ cwd })}
          />
        </Field>
      )}
      <Part title="Tools">
        <Switch
          checked={draft.allowedTools === null}
          onChange={(isAll) => change({ allowedTools: isAll ? null : [] })}
          label="All its tools"
        />
        {draft.allowedTools !== null && (
          <Field
            id="allowedTools"
            label="Only these"
            hint="Names at the server; * stands for anything."
            error={form.problem('allowedTools')}
          >
            <Chips
              id="allowedTools"
              noun="pattern"
              isOrdered={false}
              values={draft.allowedTools}
              onChange={(allowedTools) => change({ allowedTools })}
              describedBy="allowedTools-hint"
              problem={form.problem}
            />
          </Field>
        )}
        <MatchedTools connector={connector.name} globs={draft.allowedTools} />
      </Part>
      <Part title="Options" hint="Limits that differ for this session.">
        <OptionOverrides form={form} connector={connector} />
      </Part>
    </fieldset>
  )
}

function Part({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <div>
        <h3 className="text-sm font-medium">{title}</h3>
        {hint !== undefined && <p className="text-sm text-ink-3">{hint}</p>}
      </div>
      {children}
    </div>
  )
}

const maxShown = 40

/** Which tools of a connector the patterns let through. */
function MatchedTools({ connector, globs }: { connector: string; globs: readonly string[] | null }) {
  const tools = useQuery(toolsQuery).data?.filter((tool) => tool.connector === connector)
  if (tools === undefined) return null
  if (tools.length === 0) return <p className="text-sm text-ink-3">Its tools are not known yet.</p>
  const isAllowed = compileGlobs(globs ?? ['*'])
  const names = tools.map(({ originalName }) => originalName).filter(isAllowed)
  return (
    <div className="grid gap-1.5">
      <output className="text-sm text-ink-2">
        {names.length} of {tools.length} tools
      </output>
      <ul aria-label="Tools it may use" className="flex flex-wrap gap-1">
        {names.slice(0, maxShown).map((name) => (
          <li
            key={name}
            className="max-w-full truncate rounded-sm border border-line bg-well px-1.5 font-mono text-xs leading-5 text-ink-2"
          >
            {name}
          </li>
        ))}
        {names.length > maxShown && <li className="text-sm text-ink-3">and {names.length - maxShown} more</li>}
      </ul>
    </div>
  )
}

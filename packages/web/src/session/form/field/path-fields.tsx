import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { api } from '../../../api/client.ts'
import { explain } from '../../../ui/explain.ts'
import { Field, Input } from '../../../ui/form/field.tsx'
import { Switch } from '../../../ui/form/switch.tsx'
import { Chips } from '../../../ui/list-editor/chips.tsx'
import { StatusDot } from '../../../ui/status-dot.tsx'
import type { FormPart } from './form-part.ts'

/** Which files are within its reach. */
export function PathFields({ form, saved }: FormPart & { saved: string | null }) {
  const { draft, change } = form
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Field
        id="paths.roots"
        label="Folders it may touch"
        optional
        hint="None = only the working directory."
        error={form.problem('paths.roots')}
      >
        <Chips
          id="paths.roots"
          noun="folder"
          isOrdered={false}
          values={draft.roots}
          onChange={(roots) => change({ roots })}
          describedBy="paths.roots-hint"
          problem={form.problem}
        />
      </Field>
      <Switch
        checked={draft.denied === null}
        onChange={(isUsual) => change({ denied: isUsual ? null : [] })}
        label="Keep the usual secrets out of reach"
        hint="Keys, .env files and the like. Turn it off to write a list of your own."
      />
      {draft.denied !== null && (
        <Field
          id="paths.denied"
          label="Paths it may not touch"
          hint="Patterns such as **/*.pem. None = nothing is kept from it within its folders."
          error={form.problem('paths.denied')}
        >
          <Chips
            id="paths.denied"
            noun="pattern"
            isOrdered={false}
            values={draft.denied}
            onChange={(denied) => change({ denied })}
            describedBy="paths.denied-hint"
            problem={form.problem}
          />
        </Field>
      )}
      <Switch
        checked={draft.allowHardLinks}
        onChange={(allowHardLinks) => change({ allowHardLinks })}
        label="Read files with several hard links"
        hint="pnpm makes such files. They may belong to other folders too."
      />
      {saved === null ? (
        <p className="text-sm text-ink-3">Once it is saved, you can try here what it may read and write.</p>
      ) : (
        <PathTrial session={saved} isDirty={form.isDirty} />
      )}
    </div>
  )
}

function PathTrial({ session, isDirty }: { session: string; isDirty: boolean }) {
  const [path, setPath] = useState('')
  // Typing does not wait for the answers.
  const asked = useDeferredValue(path.trim())
  const { data, error } = useQuery({
    queryKey: ['sessions', session, 'path', asked],
    queryFn: ({ signal }) => api.testSessionPath({ name: session, body: { path: asked } }, { signal }),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  })
  return (
    <Field
      id="path-trial"
      label="Try a path"
      hint={
        isDirty
          ? 'This tries what is saved, not what you changed.'
          : 'Type a path to see what the session may do with it.'
      }
    >
      <Input
        id="path-trial"
        aria-describedby="path-trial-hint"
        mono
        placeholder="src/index.ts"
        value={path}
        onChange={(event) => setPath(event.target.value)}
      />
      <output className="block min-h-5">
        {asked !== '' && error !== null && <span className="text-sm text-bad">{explain(error)}</span>}
        {asked !== '' && error === null && data !== undefined && (
          <StatusDot tone={data.writable ? 'ok' : data.allowed ? 'warn' : 'bad'}>
            {data.writable ? 'May read and write.' : data.allowed ? 'May only read.' : 'Out of reach.'} {data.because}
          </StatusDot>
        )}
      </output>
    </Field>
  )
}
